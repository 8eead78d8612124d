"""From score to confidence: how often an edge of such a score was right.

`DIRECT` is fitted by `benchmarks/eval_reliability.py` on the hand-judged development sets: shares of
right edges by score, made monotone by pooling adjacent violators, each share drawn towards the
overall one by ten imagined observations, the highest lowered a little, for servers that the rules
have never met do worse (`benchmarks/first_contact.md`). Guesses of the built-in provider carry as
score the share of their rule on the same sets, drawn in the same way.
"""

from bisect import bisect_right

HIDE_BELOW = 0.5
"""Edges that are more often wrong than right are kept, and hidden."""

Table = tuple[tuple[float, float], ...]
"""(score, share that was right), rising; between two points the share is interpolated."""

DIRECT: Table = (
    (1.7, 0.35),
    (2.0, 0.45),
    (2.25, 0.62),
    (3.44, 0.81),
    (4.0, 0.91),
    (4.38, 0.95),
    (7.61, 0.97),
)
GUESS: Table = ((0.0, 0.0), (1.0, 1.0))


def confidence(score: float) -> float:
    """The calibrated confidence of a direct edge's score, rounded to two places."""
    return _interpolated(score, DIRECT)


def guess_confidence(score: float) -> float:
    """The calibrated confidence of a guess of the built-in provider."""
    return _interpolated(score, GUESS)


def _interpolated(score: float, table: Table) -> float:
    points = [point for point, _ in table]
    at = bisect_right(points, score)
    if at == 0:
        return table[0][1]
    if at == len(table):
        return table[-1][1]
    (low, left), (high, right) = table[at - 1], table[at]
    return round(left + (right - left) * (score - low) / (high - low), 2)
