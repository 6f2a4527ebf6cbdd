"""Instructions of each kernel, counted under valgrind, and compared with the recorded counts (docs/instructions.md).

Run it with ``python -m benchmarks.instructions``. ``--check`` ends with exit code 1 if a count has changed by more than
2 %; ``--record "reason"`` adds a row to instructions.csv and writes the tables of the page; ``--page`` writes only the
tables.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common import HERE
from benchmarks.instruction_kernels import KERNELS
from benchmarks.peers import instruction_counter
from contactlib.common.files import write_text
from contactlib.fmu.build import find_compiler

RECORDS = HERE / "instructions.csv"
PAGE = HERE.parent / "docs" / "instructions.md"
FIRST = "<!-- tables: written by `python -m benchmarks.instructions --page` -->\n"
LAST = "<!-- end of tables -->\n"
LIMIT = 0.02  # of the recorded count, which repeats exactly; the compiler moves some kernels by less after other edits
REMEDY = ('record it: `python -m benchmarks.instructions --record "reason"`, and commit '
          "benchmarks/instructions.csv and docs/instructions.md with the change")
Counts = Mapping[str, float]


@dataclass(frozen=True)
class Record:
    """Instructions per unit of each kernel, as one compiler and processor gave them; why they were recorded."""

    date: str
    build: str
    reason: str
    counts: Counts


# ---- counting ------------------------------------------------------------------------------------


def count() -> dict[str, float]:
    """Instructions per unit of each kernel: prepares the data here, runs the program once under callgrind.

    FileNotFoundError if valgrind or a compiler is missing, RuntimeError if one of them fails.
    """
    if shutil.which("valgrind") is None:
        raise FileNotFoundError("valgrind is missing: install it (Debian, Ubuntu: apt-get install valgrind)")
    program = instruction_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared = {kernel.name: kernel.prepare() for kernel in KERNELS}
        lines = [work.write(folder, kernel) for kernel, work in prepared.items()]
        (folder / "list").write_text("".join(lines), encoding="utf-8")
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/dump"]
        done = subprocess.run([*command, program, folder], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the program that counts instructions failed: {done.stderr}")
        totals = dict(_total(path) for path in folder.glob("dump.*"))
    return {kernel: rounded(totals[kernel] / work.units) for kernel, work in prepared.items()}


def _total(path: Path) -> tuple[str, int]:
    """The trigger of a dump of callgrind, and its instructions."""
    text = path.read_text(encoding="utf-8")
    trigger = re.search(r"^desc: Trigger: (?:Client Request: )?(.*)$", text, re.MULTILINE)
    total = re.search(r"^summary: (\d+)$", text, re.MULTILINE)
    return (trigger[1] if trigger else "", int(total[1]) if total else 0)


def rounded(value: float) -> float:
    """To five digits."""
    return float(f"{value:.5g}")


def build() -> str:
    """The compiler and the instruction set, on both of which the counts depend: "gcc 12.2.0, x86_64 AVX2"."""
    command = find_compiler()
    says = [subprocess.run([*command, *flags], capture_output=True, text=True, check=True).stdout
            for flags in (["--version"], ["-dumpfullversion", "-dumpversion"])]
    name = "clang" if "clang" in says[0] else "gcc"
    try:
        wide = " AVX2" if "avx2" in Path("/proc/cpuinfo").read_text(encoding="utf-8") else ""
    except OSError:
        wide = ""
    return f"{name} {says[1].strip()}, {platform.machine()}{wide}"


# ---- records -------------------------------------------------------------------------------------


def read_records(path: Path = RECORDS) -> list[Record]:
    """All records, the oldest first. A kernel without a count in a row did not exist then."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Record(row.pop("date"), row.pop("build"), row.pop("reason"),
                   {name: float(value) for name, value in row.items() if value}) for row in rows]


def write_records(records: Sequence[Record], path: Path = RECORDS) -> None:
    """A column for each kernel, in the order in which the kernels first appeared."""
    kernels = dict.fromkeys(name for record in records for name in record.counts)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["date", "build", "reason", *kernels])
    for record in records:
        numbers = [f"{record.counts[name]:g}" if name in record.counts else "" for name in kernels]
        rows.writerow([record.date, record.build, record.reason, *numbers])
    write_text(path, text.getvalue())


def latest(records: Sequence[Record], build: str) -> Record | None:
    """The last record of a build."""
    return next((record for record in reversed(records) if record.build == build), None)


# ---- comparing -----------------------------------------------------------------------------------


def changed(before: Counts, now: Counts) -> dict[str, float]:
    """The relative change of each kernel of both that changed by more than `LIMIT`."""
    changes = {name: now[name] / before[name] - 1.0 for name in now if name in before}
    return {name: change for name, change in changes.items() if abs(change) > LIMIT}


def problems(before: Counts, now: Counts) -> list[str]:
    """A sentence for each kernel that has changed by more than `LIMIT`, has no recorded count, or is not counted."""
    found = [f"kernel '{name}' takes {now[name]:g} instructions, {before[name]:g} are recorded: {100 * change:+.1f} %, "
             f"at most {100 * LIMIT:g} % is allowed; undo the change, or {REMEDY}"
             for name, change in changed(before, now).items()]
    found += [f"kernel '{name}' has no recorded count; {REMEDY}" for name in now if name not in before]
    found += [f"kernel '{name}' is recorded but not counted; {REMEDY}"
              for name in before if name not in now]
    return found


def check(records: Sequence[Record], build: str, now: Counts) -> tuple[bool, list[str]]:
    """Whether the counts hold, and the sentences to print. Counts of a build without a record are not compared."""
    record = latest(records, build)
    if record is None:
        known = ", ".join(f"'{name}'" for name in dict.fromkeys(record.build for record in records)) or "none"
        return True, [f"not compared: build '{build}' has no record (recorded: {known}), and the counts of two builds "
                      f"differ by more than {100 * LIMIT:g} %"]
    found = problems(record.counts, now)
    return not found, found or [f"{len(now)} kernels, none has changed by more than {100 * LIMIT:g} %"]


def table(before: Counts, now: Counts) -> str:
    """One line per kernel: counted, recorded, change."""
    lines = [f"{'kernel':24} {'counted':>10} {'recorded':>10} {'change':>8}  instructions per"]
    for kernel in KERNELS:
        old = before.get(kernel.name)
        cells = f"{old:10g} {100 * (now[kernel.name] / old - 1):+7.1f}%" if old else f"{'none':>10} {'':8}"
        lines.append(f"{kernel.name:24} {now[kernel.name]:10g} {cells}  {kernel.unit}")
    return "\n".join(lines)


# ---- the page ------------------------------------------------------------------------------------


def tables(records: Sequence[Record]) -> str:
    """Both tables of the page: the latest counts of each build, and the history, the newest first."""
    builds = list(dict.fromkeys(record.build for record in records))
    last = [record for build in builds if (record := latest(records, build))]
    lines = [f"| kernel | what is counted | instructions per | {' | '.join(builds)} |",
             "|---|---|---|" + "---|" * len(builds)]
    for kernel in KERNELS:
        cells = [f"{record.counts[kernel.name]:g}" if kernel.name in record.counts else "" for record in last]
        lines.append(f"| `{kernel.name}` | {kernel.what} | {kernel.unit} | {' | '.join(cells)} |")
    lines += ["", "| date | build | reason | counts that changed by more than 2 % |", "|---|---|---|---|"]
    for k in range(len(records))[::-1]:
        record, before = records[k], latest(records[:k], records[k].build)
        lines.append(f"| {record.date} | {record.build} | {record.reason} | {history(before, record)} |")
    return "\n".join(lines) + "\n"


def history(before: Record | None, record: Record) -> str:
    """What a record changed against the one before of its build."""
    if before is None:
        return "first record of this build"
    cells = [f"`{name}` {before.counts[name]:g} to {record.counts[name]:g} ({100 * change:+.1f} %)"
             for name, change in changed(before.counts, record.counts).items()]
    cells += [f"`{name}` is new" for name in record.counts if name not in before.counts]
    return ", ".join(cells) or "none"


def current_page() -> str:
    """The text of the page with the tables of the records."""
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.index(FIRST) + len(FIRST), page.index(LAST)
    return page[:before] + "\n" + tables(read_records()) + "\n" + page[after:]


def reason_text(text: str) -> str:
    """A reason as a cell of the page: one line, no bars."""
    words = " ".join(text.replace("|", "/").split())
    if not words:
        raise argparse.ArgumentTypeError("is empty: say in some words why the counts have changed")
    return words


# ---- command line --------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 if a count has changed by more than 2 %%")
    parser.add_argument("--record", metavar="REASON", type=reason_text, help="add the counts to instructions.csv")
    parser.add_argument("--page", action="store_true", help="write the tables of docs/instructions.md from the records")
    arguments = parser.parse_args()
    if not arguments.page:
        try:
            name, now = build(), count()
        except (FileNotFoundError, RuntimeError) as error:
            print(f"not counted: {error}", file=sys.stderr)
            return 2
        records = read_records()
        record = latest(records, name)
        print(table(record.counts if record else {}, now) + f"\n\n{name}")
        if arguments.check:
            holds, sentences = check(records, name, now)
            print("\n".join(sentences))
            return 0 if holds else 1
    if arguments.record:
        write_records([*records, Record(datetime.date.today().isoformat(), name, arguments.record, now)])
    if arguments.record or arguments.page:
        write_text(PAGE, current_page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
