"""A small picture of the map: servers as circles by their tools, lines by the edges between them.

Only for a glance on a page that cannot run the viewer. The SVG asks for nothing outside itself.
"""

import math
from collections import Counter
from html import escape

from atlas_assets.catalog.visible import visible
from atlas_assets.graph.contract import Graph

WIDTH, HEIGHT = 640, 420
_HUES = ("#4c6a92", "#a5673f", "#5b7f5b", "#8a5a83", "#9a8a3c", "#4f8a8b", "#a04d5c", "#6d6d8f")
SHOWN = 24


def sketch(graph: Graph) -> str:
    """An SVG text. Beyond `SHOWN` servers the largest are drawn and the others counted."""
    tools = Counter(node["server"] for node in graph["nodes"])
    server_of = {node["id"]: node["server"] for node in graph["nodes"]}
    largest = sorted(tools, key=lambda name: (-tools[name], name))
    drawn = sorted(largest[:SHOWN])
    place = {name: _place(index, len(drawn)) for index, name in enumerate(drawn)}
    routes: Counter[tuple[str, str]] = Counter()
    for edge in graph["edges"]:
        ends = sorted((server_of[edge["from"]], server_of[edge["to"]]))
        if not edge["hidden"] and ends[0] != ends[1] and ends[0] in place and ends[1] in place:
            routes[(ends[0], ends[1])] += 1
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f7f5ef"/>',
    ]
    for (one, other), count in sorted(routes.items()):
        (x1, y1), (x2, y2) = place[one], place[other]
        width = min(1 + math.log2(count), 6)
        parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#8c8573" '
            f'stroke-opacity=".55" stroke-width="{width:.1f}"/>'
        )
    for index, name in enumerate(drawn):
        x, y = place[name]
        radius = min(8 + 3 * math.sqrt(tools[name]), 34)
        label = escape(visible(name, 22))
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{_HUES[index % len(_HUES)]}" '
            f'fill-opacity=".85"/><text x="{x:.1f}" y="{y + 4:.1f}" fill="#fff" text-anchor="middle">'
            f'{tools[name]}</text><text x="{x:.1f}" y="{y + radius + 14:.1f}" fill="#3a372e" '
            f'text-anchor="middle">{label}</text>'
        )
    stats = graph["stats"]
    rest = f", {len(tools) - len(drawn)} servers not drawn" if len(tools) > len(drawn) else ""
    parts.append(
        f'<text x="12" y="20" fill="#3a372e">{len(tools)} servers, {stats["tools"]} tools, '
        f"{stats['edges']} edges{rest}</text></svg>"
    )
    return "".join(parts)


def _place(index: int, count: int) -> tuple[float, float]:
    if count == 1:
        return WIDTH / 2, HEIGHT / 2
    angle = 2 * math.pi * index / count + math.pi
    return WIDTH / 2 + 235 * math.cos(angle), HEIGHT / 2 + 145 * math.sin(angle)
