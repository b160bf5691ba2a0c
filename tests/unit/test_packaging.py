import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PYTHONS = ["3.11", "3.13"]
PLATFORMS = {
    "Linux x86_64": ("linux", ["manylinux_2_28_x86_64", "manylinux_2_17_x86_64"]),
    "macOS x86_64": ("darwin", ["macosx_13_0_x86_64"]),
    "macOS arm64": ("darwin", ["macosx_14_0_arm64"]),
    "Windows amd64": ("win32", ["win_amd64"]),
}
DEPENDENCIES: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "dependencies"
]


def dry_run(
    wanted: list[str], python: str, tags: list[str], report: Path
) -> subprocess.CompletedProcess[str]:
    """Let pip find out what it would install there from wheels alone; nothing is installed.

    It reads the markers of further dependencies as of this machine.
    """
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"]
    command += ["--only-binary=:all:", "--target", str(report.parent), "--report", str(report)]
    command += ["--python-version", python]
    command += [part for tag in tags for part in ("--platform", tag)]
    return subprocess.run([*command, *wanted], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    done = dry_run(["platformdirs"], "3.11", ["any"], tmp_path_factory.mktemp("x") / "report.json")
    if done.returncode:
        pytest.skip(f"pip reaches no package index: {done.stderr.strip().splitlines()[-1]}")


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_is_required_comes_in_wheels(platform: str, python: str, tmp_path: Path) -> None:
    system, tags = PLATFORMS[platform]
    there = {"sys_platform": system, "python_version": python}
    needed = [Requirement(line) for line in DEPENDENCIES]
    needed = [one for one in needed if one.marker is None or one.marker.evaluate(there)]
    report = tmp_path / "report.json"
    done = dry_run([f"{one.name}{one.specifier}" for one in needed], python, tags, report)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(report.read_text("utf-8"))["install"]
    names = {item["metadata"]["name"].lower() for item in found}
    assert {one.name.lower() for one in needed} <= names
    assert all(item["download_info"]["url"].endswith(".whl") for item in found)


def test_only_windows_needs_a_package_of_time_zones() -> None:
    needed = [Requirement(line) for line in DEPENDENCIES]
    marked = {one.name: str(one.marker) for one in needed if one.marker is not None}
    assert marked == {"tzdata": 'sys_platform == "win32"'}


def test_the_weights_ask_for_nothing_that_lamina_does_not() -> None:
    weights = tomllib.loads((ROOT / "packages/lamina_e5/pyproject.toml").read_text("utf-8"))
    assert set(weights["project"]["dependencies"]) <= set(DEPENDENCIES)
