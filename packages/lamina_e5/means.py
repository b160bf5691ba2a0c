"""Compute the mean vector of each script's ordinary sentences (`means/*.txt`).

    python packages/lamina_e5/means.py

Writes `src/lamina/embedders/e5_means.json`: script -> base64 of 384 float16 numbers.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np

from lamina.embedders.e5 import E5

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "src" / "lamina" / "embedders" / "e5_means.json"
FILES = {"latin": "en.txt", "han": "zh.txt"}


def main() -> None:
    """Embed the sentences as they are, without any mean taken off."""
    embedder = E5()
    means = {}
    for script, name in FILES.items():
        lines = (HERE / "means" / name).read_text("utf-8").splitlines()
        vectors = embedder.raw([line for line in lines if line.strip()], "passage")
        mean = vectors.mean(axis=0).astype(np.float16)
        means[script] = base64.b64encode(mean.tobytes()).decode("ascii")
    OUT.write_text(json.dumps(means, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
