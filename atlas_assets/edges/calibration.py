"""From score to confidence: how often an edge of such a score was right on hand-judged servers."""

from bisect import bisect_right

HIDE_BELOW = 0.35
"""Edges of less confidence are kept, and hidden."""

DIRECT: tuple[tuple[float, float], ...] = (
    (2.0, 0.45),
    (3.3, 0.6),
    (4.0, 0.75),
    (5.0, 0.85),
    (7.0, 0.92),
    (10.0, 0.95),
)
"""(score, share that was right), rising; between two points the share is interpolated."""


def confidence(score: float, table: tuple[tuple[float, float], ...] = DIRECT) -> float:
    """The calibrated confidence of a score, rounded to two places."""
    points = [point for point, _ in table]
    at = bisect_right(points, score)
    if at == 0:
        return round(table[0][1] * max(score, 0.0) / table[0][0], 2) if table[0][0] > 0 else table[0][1]
    if at == len(table):
        return table[-1][1]
    (low, left), (high, right) = table[at - 1], table[at]
    return round(left + (right - left) * (score - low) / (high - low), 2)


def guess_confidence(score: float) -> float:
    """The calibrated confidence of a guess of the built-in provider."""
    return round(score, 2)
