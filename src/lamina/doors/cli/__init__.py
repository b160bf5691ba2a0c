"""The command `lamina`. Nothing heavy loads before it is known what is asked."""

from __future__ import annotations

import sys

from lamina import __version__


def main() -> None:
    """Run the command line given to this process."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"lamina {__version__}\n")
        return
    from lamina.doors.cli.app import run  # noqa: PLC0415 - `--version` need not wait for it

    run()
