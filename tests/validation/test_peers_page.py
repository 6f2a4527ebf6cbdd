"""docs/peers.md: its table is made of the references of the cases, and of what this library finds in them.

`python -m tests.validation.test_peers_page` writes it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from contactlib.validation import data_folder, find_cases, run_cases
from contactlib.validation.run import load_program
from contactlib.validation.runners import PythonRunner

PAGE = Path(__file__).parents[2] / "docs" / "peers.md"
FIRST, LAST = "<!-- table: written by `python -m tests.validation.test_peers_page` -->\n", "<!-- end of table -->\n"
CODES = ("truth", "MuJoCo", "Drake", "Exudyn")
UNITS = {"rest: sag": "um", "rest: force": "N", "slope: creep": "um/s", "thrown: distance": "m", "ball: distance": "m",
         "stack: sag": "um", "stack: drift": "um", "stack: force": "N", "tumble": "1", "jams": "1"}
#: why the codes differ, by the beginning of a quantity's name; tumble's changes are left out: all are below 1e-11
WHY = {
    "rigid_scenes": {
        "rest: sag": "MuJoCo's contact has a time constant in place of a stiffness",
        "rest: force": "",
        "slope: creep": "friction over velocity (Drake, Exudyn) or softened (MuJoCo) creeps; a bristle does not",
        "slope: speed": "a box that slides in MuJoCo hops; Drake is of first order in its step",
        "thrown: distance": "v h/2 = 0.25 mm of a step of 0.5 ms; Exudyn has RK4",
        "ball: speed": "the ball rolls on a radius that is shorter by half of its sag, in Exudyn by all of it",
        "ball: distance": "as its speed, and v h/2",
        "tumble: attitude": "",
        "stack: sag": "as at rest",
        "stack: drift": "",
        "stack: force": "",
        "cradle apart": "",
        "cradle touching": "contacts of MuJoCo that share a ball are springs up to 3 times their impedance, here 0.3 %",
    },
    "square_peg": {
        "rest: force": "",
        "falls: speed": "a peg that slides in MuJoCo hops",
        "jams": "a peg of MuJoCo creeps, so its limit is where it is faster than 1 mm/s",
    },
}
#: rows of series: case, beginning of the names, what the row says, code, and why the codes differ
SERIES = (
    ("cable_exudyn", ("x", "y", "slope"), "cantilever of ANCF cable elements under a load: tip [L, 1]", "Exudyn",
     "the same elements: only rounding"),
    ("cable_exudyn", ("acceleration",), "bent cable that is let go: accelerations [of the largest]", "Exudyn",
     "the same elements: only rounding"),
    ("cable_swing", ("falling",), "falling cable: tip [m]", "Exudyn", "our step of 1 ms, Exudyn's of 0.02 ms"),
    ("cable_swing", ("driven",), "driven cable: tip [m]", "Exudyn", "our step of 1 ms, Exudyn's of 0.02 ms"),
    ("chain_mujoco", ("",), "floating chain of four bodies: places [m]", "MuJoCo",
     "our step of 0.1 ms is of first order, MuJoCo has RK4"),
    ("chrono_beam", ("mid", "tip"), "beam of ANCF cable elements that turns: places [m]", "Project Chrono",
     "the same elements and step; Chrono prints six digits"),
)


@cache
def found(name):
    """Values of a case by this library, by the names of its quantities without the source."""
    results = load_program(data_folder() / name / "case.py").run(PythonRunner())
    return {key.rpartition(" (")[0]: value for key, value in results.items()}


def begins(table, name, default=None):
    """The entry whose key the name begins with; the longest of several."""
    keys = [key for key in table if name.startswith(key)]
    return table[max(keys, key=len)] if keys else default


def references(name):
    """The lines of reference.csv: names with their source in brackets, and values."""
    lines = (data_folder() / name / "reference.csv").read_text(encoding="utf-8").splitlines()[1:]
    return {key.strip('"'): float(value) for key, value in (line.rsplit(",", 1) for line in lines)}


def cell(value):
    """Six digits; what is below 1e-6 is rounding."""
    return "" if value is None else "0" if abs(value) < 1e-6 else f"{value:.6g}"


def rows():
    for case, reasons in WHY.items():
        stored, ours = references(case), found(case)
        for name in ours:
            why = begins(reasons, name)
            if why is None:
                continue
            unit = begins(UNITS, name, "m/s")
            values = [stored.get(f"{name} ({code})") for code in CODES]
            cells = [cell(values[0]), cell(ours[name]), *map(cell, values[1:])]
            yield f"| {name} [{unit}] | {' | '.join(cells)} | {why} | `{case}` |"


def series_rows():
    cases = {case.name: case for case in find_cases(data_folder(), [row[0] for row in SERIES])}
    for case, starts, what, code, why in SERIES:
        within = max(one.tolerance for one in cases[case].series if one.name.startswith(starts))
        cells = ["", f"within {within:.2g} of {code}", *("reference" if name == code else "" for name in CODES[1:])]
        yield f"| {what} | {' | '.join(cells)} | {why} | `{case}` |"


def table():
    head = ["| scene and quantity | truth | this library | MuJoCo | Drake | Exudyn | why they differ | case |",
            "|---|---|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows(), *series_rows()]) + "\n"


def current():
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.index(FIRST) + len(FIRST), page.index(LAST)
    return page[:before] + "\n" + table() + "\n" + page[after:]


def test_the_page_is_current():
    """Else `python -m tests.validation.test_peers_page`."""
    assert PAGE.read_text(encoding="utf-8") == current()


def test_every_quantity_has_a_row_and_every_difference_a_reason():
    """A code that differs from the truth by more than 0.1 % has a reason in its row."""
    for case, reasons in WHY.items():
        for key, value in references(case).items():
            name, source = re.fullmatch(r"(.*) \((.*)\)", key).groups()
            truth = references(case)[f"{name} (truth)"]
            if not name.startswith(("tumble: energy", "tumble: momentum")):
                assert begins(reasons, name) is not None, name
                assert abs(value - truth) <= 1e-3 * max(abs(truth), 1e-2) or begins(reasons, name), (name, source)


def test_what_the_table_says_is_within_holds():
    """The tolerances that the table prints; cable_swing takes seconds, and make validate runs it."""
    quick = {row[0] for row in SERIES} - {"cable_swing"}
    assert all(outcome.passed for outcome in run_cases(find_cases(data_folder(), quick)))


if __name__ == "__main__":
    PAGE.write_text(current(), encoding="utf-8")
