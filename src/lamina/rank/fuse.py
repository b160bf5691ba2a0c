"""Values of different scales made comparable, and summed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What a leg's values usually look like over a store: (mean, deviation). A store of a handful of
# passages says little about its own spread, so its statistics lean on these, the less the more
# passages there are. They also decide where all values are equal, or there is only one.
USUAL_WORDS = (0.5, 1.5)
USUAL_COSINE = (0.05, 0.12)
LEAN = 10.0  # passages that the usual values count for


def standard(
    values: NDArray[np.float32], valid: NDArray[np.bool_], usual: tuple[float, float]
) -> NDArray[np.float32]:
    """z-scores of the valid values over all of them; 0 for the others.

    Missing is not low: what has no vector is neither helped nor hurt by the vectors' leg.
    """
    chosen = values[valid] if not valid.all() else values
    n = len(chosen)
    mean = float(chosen.mean(dtype=np.float64)) if n else 0.0
    apart = chosen - np.float32(mean)
    variance = float(np.vecdot(apart, apart)) / n if n else 0.0
    usual_mean, usual_deviation = usual
    centre = (n * mean + LEAN * usual_mean) / (n + LEAN)
    spread = n * (variance + (mean - centre) ** 2)
    spread += LEAN * (usual_deviation**2 + (usual_mean - centre) ** 2)
    deviation = (spread / (n + LEAN)) ** 0.5
    out = np.zeros(len(values), np.float32)
    np.subtract(values, np.float32(centre), out=out, where=valid)
    return np.multiply(out, np.float32(1 / deviation), out=out)
