"""The comparison of instruction counts with the recorded ones, with invented counts; and the page with the history."""

import argparse

import pytest

from benchmarks import instructions
from benchmarks.instruction_kernels import KERNELS
from benchmarks.instructions import Record, check, read_records, tables, write_records

GCC, CLANG = "gcc 12.2.0, x86_64 AVX2", "clang 19.1.0, x86_64 AVX2"
OLD = Record("2026-01-01", GCC, "first", {"capsule_box": 700.0, "step_cbm": 9e5})
LAST = Record("2026-02-01", GCC, "smaller, by a table", {"capsule_box": 500.0, "step_cbm": 9e5})


@pytest.mark.parametrize("change", [1.021, 0.979])
def test_a_change_of_more_than_two_percent_fails(change: float):
    holds, sentences = check([OLD, LAST], GCC, {"capsule_box": 500.0 * change, "step_cbm": 9e5})
    assert not holds
    sentence, = sentences
    assert f"'capsule_box' takes {500.0 * change:g} instructions, 500 are recorded" in sentence
    assert f"{100 * (change - 1):+.1f} %" in sentence and "--record" in sentence


@pytest.mark.parametrize("change", [1.019, 1.0, 0.981])
def test_a_change_of_less_passes(change: float):
    holds, sentences = check([OLD, LAST], GCC, {"capsule_box": 500.0 * change, "step_cbm": 9e5})
    assert holds and sentences == ["2 kernels, none has changed by more than 2 %"]


def test_every_kernel_that_changed_is_named():
    holds, sentences = check([LAST], GCC, {"capsule_box": 600.0, "step_cbm": 8e5})
    assert not holds and ["'capsule_box'" in sentences[0], "'step_cbm'" in sentences[1]] == [True, True]


def test_a_kernel_without_a_record_fails_and_so_does_one_that_is_not_counted():
    holds, sentences = check([LAST], GCC, {"capsule_box": 500.0, "mesh_mesh": 2e6})
    assert not holds
    assert "'mesh_mesh' has no recorded count" in sentences[0]
    assert "'step_cbm' is recorded but not counted" in sentences[1]


def test_another_compiler_is_not_compared_and_says_so():
    holds, (sentence,) = check([LAST], CLANG, {"capsule_box": 900.0, "step_cbm": 9e5})
    assert holds and "not compared" in sentence and CLANG in sentence and GCC in sentence


def test_a_build_is_compared_with_its_own_last_record():
    other = Record("2026-03-01", CLANG, "first", {"capsule_box": 900.0, "step_cbm": 7e5})
    assert check([OLD, LAST, other], GCC, LAST.counts)[0]
    assert check([OLD, LAST, other], CLANG, other.counts)[0]
    assert not check([OLD, LAST, other], GCC, OLD.counts)[0]


def test_records_survive_the_file(tmp_path):
    new = Record("2026-03-01", CLANG, 'a "new" kernel, faster', {"capsule_box": 1.9791e6, "mesh_mesh": 51.208})
    path = tmp_path / "records.csv"
    write_records([OLD, LAST, new], path)
    assert read_records(path) == [OLD, LAST, new]
    assert path.read_text(encoding="utf-8").splitlines()[0] == "date,build,reason,capsule_box,step_cbm,mesh_mesh"


def test_the_history_names_what_changed():
    lines = [line for line in tables([OLD, LAST]).splitlines() if line.startswith("| 2026")]
    assert lines == [
        f"| 2026-02-01 | {GCC} | smaller, by a table | `capsule_box` 700 to 500 (-28.6 %) |",
        f"| 2026-01-01 | {GCC} | first | first record of this build |"]


def test_a_reason_is_one_cell_of_the_page():
    assert instructions.reason_text("less\n work | per pair") == "less work / per pair"
    with pytest.raises(argparse.ArgumentTypeError, match="empty"):
        instructions.reason_text(" \n")


def test_a_dump_of_callgrind_is_read(tmp_path):
    dump = tmp_path / "dump.1"
    dump.write_text("# callgrind format\ndesc: Trigger: Client Request: capsule_box\n\nevents: Ir\nsummary: 299441\n")
    assert instructions._total(dump) == ("capsule_box", 299441)


def test_the_page_shows_the_records():
    """Else `python -m benchmarks.instructions --page`."""
    assert instructions.PAGE.read_text(encoding="utf-8") == instructions.current_page()


def test_every_kernel_has_a_recorded_count():
    records = read_records()
    assert records and set(records[-1].counts) >= {kernel.name for kernel in KERNELS}
