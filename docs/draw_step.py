"""Draws docs/images/step.svg: the data flow of one step, from inputs to wrenches.

    python docs/draw_step.py
"""

from __future__ import annotations

from pathlib import Path

PICTURE = Path(__file__).parent / "images" / "step.svg"
WIDE, HIGH, GAP, TOP, LEFT = 350, 44, 18, 60, 290

#: what a box reads (left), what it does and in which file of contactlib/core, what it writes (right); the first and
#: the last box stand for the whole step, those between for each sub-step
BOXES = [
    ("external states, loads, commands", "check and accept the inputs", "step/inputs.cpp", "body states"),
    ("body states, wrenches", "implicit elements: wrench over the sub-step", "element/", "wrenches of cables, joints"),
    ("wrenches, loads, gravity, twists", "move the bodies by h", "step/motion.cpp", "body states at t + h"),
    ("element states", "elements place the bodies that they drive", "element/", "states of driven bodies"),
    ("bounding volumes", "broad phase: tree traversal", "bounding/tree.cpp", "candidate pairs, sorted by kind"),
    ("two shapes, relative pose", "narrow phase: kernels of the pair table", "geometry/pairs.cpp", "contact points"),
    ("memory of friction and attachment", "build contacts, apply force laws", "step/contact/contact_laws.cpp",
     "contacts with forces"),
    ("contacts, in their order", "sum the wrenches of each body", "step/substeps.cpp", "wrenches"),
    ("body states, wrenches", "elements: wrenches, outputs, energies", "element/", "wrenches, element outputs"),
    ("contacts, element states", "keep the memory, integrate and check energies", "state/memory.cpp, monitor/",
     "memory, energies, warnings"),
    ("wrenches of all sub-steps", "write the outputs: at the end, or the mean", "step/communication/step.cpp",
     "wrenches, contacts, element outputs"),
]

STYLE = """<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>
<style>
rect { fill: #eef3f8; stroke: #35618f; stroke-width: 1.2 }
rect.loop { fill: none; stroke: #888; stroke-dasharray: 6 4 }
text { font-family: sans-serif; font-size: 12.5px; fill: #222 }
.title { font-size: 15px; font-weight: bold }
.what { text-anchor: middle; font-weight: bold }
.where { text-anchor: middle; font-size: 11px; fill: #555 }
.in { text-anchor: end }
.note { fill: #666; font-style: italic }
path.flow { stroke: #777; stroke-width: 1.1; fill: none; marker-end: url(#tip) }
</style>"""


def text(x: float, y: float, kind: str, words: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{words}</text>'


def box(k: int, reads: str, what: str, where: str, writes: str) -> list[str]:
    """One box with what it reads on its left and what it writes on its right."""
    y = TOP + k * (HIGH + GAP)
    middle = LEFT + WIDE / 2
    return [
        f'<rect x="{LEFT}" y="{y}" width="{WIDE}" height="{HIGH}" rx="5"/>',
        text(middle, y + 19, "what", what), text(middle, y + 36, "where", where),
        text(LEFT - 34, y + 27, "in", reads), text(LEFT + WIDE + 36, y + 27, "out", writes),
        f'<path class="flow" d="M{LEFT - 28},{y + 22} L{LEFT - 2},{y + 22}"/>',
        f'<path class="flow" d="M{LEFT + WIDE},{y + 22} L{LEFT + WIDE + 30},{y + 22}"/>',
        *([] if k == 0 else [f'<path class="flow" d="M{middle},{y - GAP} L{middle},{y - 1}"/>']),
    ]


def picture() -> str:
    last = len(BOXES) - 1
    wide, high = 2 * LEFT + WIDE + 40, TOP + (last + 1) * (HIGH + GAP) + 30
    low, loop = TOP + HIGH + GAP / 2 + 1, (last - 1) * (HIGH + GAP) - 2
    lines = [part for k, row in enumerate(BOXES) for part in box(k, *row)]
    frame = f'<rect class="loop" x="8" y="{low:g}" width="{wide - 16}" height="{loop:g}" rx="8"/>'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high:g}" viewBox="0 0 {wide} {high:g}">',
        STYLE, f'<rect width="{wide}" height="{high:g}" style="fill: white; stroke: none"/>',
        text(20, 30, "title", "One step: data read (left), work, data written (right)"),
        frame, text(wide - 190, low + 17, "note", "each sub-step of length h"), *lines,
        text(20, high - 12, "note", "After an error the whole state is as it was before the step."), "</svg>\n"])


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"wrote {PICTURE}")
