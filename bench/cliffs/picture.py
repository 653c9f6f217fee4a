"""Draws the results of a sweep as a picture. Each family of benchmarks is a row of dots, one for each benchmark (case). The position of a
dot is harp's speed relative to the fastest peer (NumPy, torch or a C loop), and its colour is that of this peer. A picture of two sweeps of
the same seed, before and after changes of harp, has two lines of dots in each row, and beside them the memory that harp needed."""
import html
import math

from report import by_family, compared, percentile

COLOURS = {"numpy": "#4477aa", "torch": "#ee6677", "c": "#228833"}
# In pixels: width for a family's name, width of the axis, height of a row, height above the first row.
LABEL, WIDTH, LINE, TOP = 185, 560, 18, 64
LEAST, MOST = 1 / 16, 64  # ends of the axis; a case beyond an end is drawn at that end
BEFORE = "#aaaaaa"  # colour of the dots of an older sweep
# The axis of memory: its width in pixels, the distance to the axis before it, and its ends in MB.
MEMORY_WIDTH, GAP, LEAST_MB, MOST_MB = 200, 50, 2.0**-7, 2.0**9
MEMORY = {"workspace_bytes": "greatest workspace, MB", "resident_bytes": "greatest resident growth, MB"}


def _along(value, least, most, start, width):
    """Returns the position of the value on a logarithmic axis."""
    return start + width * math.log(min(max(value, least), most) / least) / math.log(most / least)


def _x(ratio):
    return _along(ratio, LEAST, MOST, LABEL, WIDTH)


def _text(x, y, text, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html.escape(text)}</text>'


def _dot(x, y, colour):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}" fill-opacity="0.6"/>'


def _median(cases, y, half):
    middle = _x(percentile([case["ratio"] for case in cases], 0.5))
    return f'<line x1="{middle:.1f}" y1="{y - half:.1f}" x2="{middle:.1f}" y2="{y + half:.1f}" stroke="black" stroke-width="2"/>'


def _page(title, legend, height, width):
    """Returns the parts of a picture that do not depend on the families: title, colours, and the axis of ratios."""
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>', _text(8, 18, f"{title}: time of the best peer / time of harp", ' font-size="14"')]
    for k, (peer, colour) in enumerate(legend.items()):
        parts.append(f'<circle cx="{14 + 70 * k}" cy="36" r="4" fill="{colour}"/>' + _text(22 + 70 * k, 40, peer))
    for power in range(round(math.log2(LEAST)), round(math.log2(MOST)) + 1):
        x, one = _x(2.0**power), power == 0
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 6}" ' +
                     ('stroke="black" stroke-dasharray="4 3"/>' if one else 'stroke="#dddddd"/>'))
        parts.append(_text(x, TOP - 10, f"{2**power}" if power >= 0 else f"1/{2**-power}", ' text-anchor="middle"'))
    return parts


def svg(records, title):
    """Returns the picture as the text of an SVG. The vertical stroke in a row is the median of the row's benchmarks. At the dashed line
    harp is as fast as the fastest of NumPy, torch and the C loop. Benchmarks that none of these can do are not drawn."""
    families = by_family([case for case in compared(records) if case["ratio"]])
    parts = _page(title, COLOURS, TOP + LINE * len(families) + 12, LABEL + WIDTH + 60)
    for k, (family, cases) in enumerate(families.items()):
        y = TOP + LINE * k + LINE / 2
        parts.append(_text(LABEL - 12, y + 4, family, ' text-anchor="end"'))
        parts += [_dot(_x(case["ratio"]), y, COLOURS[case["peer"]]) for case in cases]
        parts.append(_median(cases, y, 7))
    return "\n".join([*parts, "</svg>"]) + "\n"


def svg_of_two(before, after, title):
    """Returns a picture of the benchmarks that are in both sweeps. Each row has the ratios before as grey dots and below them the ratios
    after, each with its median as a vertical stroke, then for each kind of memory the largest amount that a benchmark of the family needed,
    before as a grey square and after as a black one."""
    old = {case["name"]: case for case in compared(before) if case["ratio"]}
    families = by_family([case for case in compared(after) if case["ratio"] and case["name"] in old])
    row = LINE + 6
    height = TOP + row * len(families) + 12
    parts = _page(title, {**COLOURS, "before": BEFORE}, height, LABEL + WIDTH + len(MEMORY) * (MEMORY_WIDTH + GAP) + 30)
    for k, (column, name) in enumerate(MEMORY.items()):
        start = LABEL + WIDTH + GAP + k * (MEMORY_WIDTH + GAP)
        parts.append(_text(start, 40, name))
        for power in range(round(math.log2(LEAST_MB)), round(math.log2(MOST_MB)) + 1, 4):
            x = _along(2.0**power, LEAST_MB, MOST_MB, start, MEMORY_WIDTH)
            parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 6}" stroke="#dddddd"/>')
            parts.append(_text(x, TOP - 10, f"{2**power}" if power >= 0 else f"1/{2**-power}", ' text-anchor="middle"'))
    for k, (family, cases) in enumerate(families.items()):
        y = TOP + row * k + row / 2
        parts.append(_text(LABEL - 12, y + 4, family, ' text-anchor="end"'))
        earlier = [old[case["name"]] for case in cases]
        parts += [_dot(_x(case["ratio"]), y - 5, BEFORE) for case in earlier] + [_median(earlier, y - 5, 5)]
        parts += [_dot(_x(case["ratio"]), y + 5, COLOURS[case["peer"]]) for case in cases] + [_median(cases, y + 5, 5)]
        for n, column in enumerate(MEMORY):
            start = LABEL + WIDTH + GAP + n * (MEMORY_WIDTH + GAP)
            for members, colour, down in ((earlier, BEFORE, -5), (cases, "black", 5)):
                most = max((case[column] / 1e6 for case in members if case[column] is not None), default=None)
                if most:  # 0 has no position on the axis
                    x = _along(most, LEAST_MB, MOST_MB, start, MEMORY_WIDTH)
                    parts.append(f'<rect x="{x - 3:.1f}" y="{y + down - 3:.1f}" width="6" height="6" fill="{colour}"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"
