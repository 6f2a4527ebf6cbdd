"""Compares the hashes of all shipped scenes over compilers, processors and systems with the recorded table.

`make platforms` runs `python -m tests.platforms`. The exit code is 1 where a hash differs, where a row fails, or where
the build with -ffp-contract=fast does not differ. A row that cannot run says why. docs/platforms.md describes the rows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from contactlib.fmu.hashes import shipped_scenes
from tests.platforms.cases import Case, Unavailable, make_cases
from tests.platforms.rows import ROWS, Row


def judge(row: Row, cases: list[Case]) -> tuple[str, str]:
    """The verdict on a row, "same", "red" as it must, "differs", "cannot run" or "fails", and its explanation."""
    try:
        found = row.run(cases)
    except Unavailable as error:
        return "cannot run", str(error)
    except (RuntimeError, OSError, TimeoutError) as error:
        return "fails", " ".join(str(error).split())[-600:]
    wrong = [case.scene for case in cases if found[case.scene] != case.expected]
    if row.must_differ:
        return ("red", f"differs in {len(wrong)} scenes, as it must") if wrong else (
            "fails", "equals the table, although it is built with contraction: the comparison sees nothing")
    if wrong:
        return "differs", f"{len(wrong)} of {len(cases)}: {', '.join(wrong)}"
    return "same", f"{len(cases)} of {len(cases)} scenes"


def compare(rows: list[Row], cases: list[Case]) -> dict[str, str]:
    """Print the table row by row; return the verdicts."""
    verdicts = {}
    for row in rows:
        begin = time.monotonic()
        verdicts[row.name], why = judge(row, cases)
        print(f"{row.name:<28} {verdicts[row.name]:<11} {time.monotonic() - begin:6.0f} s  {why}", flush=True)
    return verdicts


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.platforms", description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="shipped scenes (default: all)")
    parser.add_argument("--only", metavar="TEXT", action="append", help="rows with this in their name; may be repeated")
    parser.add_argument("--quick", action="store_true", help="only rows that need no build of their own")
    given = parser.parse_args(arguments)
    rows = [row for row in ROWS if not (given.quick and row.builds)
            and (not given.only or any(text.lower() in row.name.lower() for text in given.only))]
    if not rows:
        parser.error(f"--only = {given.only}: no row has this text; the rows are {', '.join(row.name for row in ROWS)}")
    with tempfile.TemporaryDirectory(prefix="contactlib_platforms_") as folder:
        try:
            cases = make_cases(given.scenes or shipped_scenes(), Path(folder))
        except ValueError as error:
            sys.exit(f"tests.platforms: {error}")
        verdicts = compare(rows, cases)
    missing = [name for name, verdict in verdicts.items() if verdict == "cannot run"]
    bad = [name for name, verdict in verdicts.items() if verdict in ("differs", "fails")]
    print(f"{len(rows)} rows over {len(cases)} scenes: {len(rows) - len(missing) - len(bad)} as they must be, "
          f"{len(bad)} not, {len(missing)} could not run")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
