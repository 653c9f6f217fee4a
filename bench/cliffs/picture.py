"""Draws the results of a sweep as a picture. Each family of benchmarks is a row of dots, one for each benchmark (case). The position of a
dot is harp's speed relative to the fastest peer (NumPy, torch or a C loop), and its colour is that of this peer."""
import html
import math

from report import by_family, compared, percentile

COLOURS = {"numpy": "#4477aa", "torch": "#ee6677", "c": "#228833"}
# In pixels: width for a family's name, width of the axis, height of a row, height above the first row.
LABEL, WIDTH, LINE, TOP = 170, 560, 18, 64
LEAST, MOST = 1 / 16, 64  # ends of the axis; a case beyond an end is drawn at that end


def _x(ratio):
    part = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LABEL + WIDTH * part


def _text(x, y, text, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html.escape(text)}</text>'


def svg(records, title):
    """Returns the picture as the text of an SVG. The vertical stroke in a row is the median of the row's benchmarks. At the dashed line
    harp is as fast as the fastest of NumPy, torch and the C loop. Benchmarks that none of these can do are not drawn."""
    families = by_family([case for case in compared(records) if case["ratio"]])
    height, width = TOP + LINE * len(families) + 12, LABEL + WIDTH + 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>', _text(8, 18, f"{title}: time of the best peer / time of harp", ' font-size="14"')]
    for k, (peer, colour) in enumerate(COLOURS.items()):
        parts.append(f'<circle cx="{14 + 70 * k}" cy="36" r="4" fill="{colour}"/>' + _text(22 + 70 * k, 40, peer))
    for power in range(round(math.log2(LEAST)), round(math.log2(MOST)) + 1):
        x, one = _x(2.0**power), power == 0
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 6}" ' +
                     ('stroke="black" stroke-dasharray="4 3"/>' if one else 'stroke="#dddddd"/>'))
        parts.append(_text(x, TOP - 10, f"{2**power}" if power >= 0 else f"1/{2**-power}", ' text-anchor="middle"'))
    for k, (family, cases) in enumerate(families.items()):
        y = TOP + LINE * k + LINE / 2
        parts.append(_text(LABEL - 12, y + 4, family, ' text-anchor="end"'))
        parts += [f'<circle cx="{_x(case["ratio"]):.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[case["peer"]]}" fill-opacity="0.6"/>' for case in cases]
        middle = _x(percentile([case["ratio"] for case in cases], 0.5))
        parts.append(f'<line x1="{middle:.1f}" y1="{y - 7:.1f}" x2="{middle:.1f}" y2="{y + 7:.1f}" stroke="black" stroke-width="2"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"
