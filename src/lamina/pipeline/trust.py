"""How much a result means, on one scale for every question and store.

A raw score compares passages for one question. Whether the best of them answers it at all is told
by two signals that need no comparison: the best cosine, over what the best of so many unrelated
passages would reach, and the share of the question's words, weighed by rarity, that a result has.
The map was fitted on questions of two sets of conversations, English and Chinese, against
questions of other conversations put to the same stores (docs/why/scores.md).
"""

from __future__ import annotations

import math

BASE, PER_COSINE, PER_COVERAGE = -3.9, 9.6, 5.7
WORDS_BASE, WORDS_PER_COVERAGE = -2.3, 6.3  # where there are no vectors
# Of results that lie below the best by so much of the raw score, how many are answers too.
BESIDE, PER_RAW = -0.4, 0.3
WEAK = 0.14  # a score below it is marked weak: about one answer in twenty is

UNRELATED_MEAN, UNRELATED_DEVIATION = 0.05, 0.105  # cosines of texts that have nothing in common


def trust(cosine: float | None, coverage: float, passages: int) -> float:
    """The log-odds that a question is answered by what was found.

    `cosine` and `coverage` are the best among the first few results; cosine None where there are
    no vectors. `passages` are those that were compared.
    """
    if cosine is None:
        return WORDS_BASE + WORDS_PER_COVERAGE * coverage
    chance = UNRELATED_MEAN + UNRELATED_DEVIATION * _best_of(passages)
    return BASE + PER_COSINE * (cosine - chance) + PER_COVERAGE * coverage


def score(trusted: float, raw: float, best: float) -> float:
    """From 0 to 1, monotone in the raw score within one question; `best` is its best raw score.

    The best result has the odds that the question is answered at all; the others that times how
    often a result so far below it is an answer too.
    """
    return _share(trusted) * _share(BESIDE + PER_RAW * (raw - best)) / _share(BESIDE)


def _share(odds: float) -> float:
    return 1 / (1 + math.exp(-max(odds, -700.0)))


def _best_of(count: int) -> float:
    """What the largest of so many standard normal values is on average, about."""
    if count <= 1:
        return 0.0
    share = 1 - 1 / (count + 0.5) if count > 2 else 0.71
    return _quantile(share)


def _quantile(share: float) -> float:
    """The standard normal quantile of a share above one half (Abramowitz and Stegun 26.2.23)."""
    t = math.sqrt(-2 * math.log(1 - share))
    upper = 2.515517 + 0.802853 * t + 0.010328 * t * t
    return t - upper / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t**3)
