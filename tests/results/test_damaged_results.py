"""Result files that were cut or changed, and runs that were killed: never read as whole, and what is saved of them."""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
import zipfile

import numpy as np
import pytest

from contactlib import IncompleteWarning, ResultError, ResultWriter, Simulation, read_result
from contactlib.results import check, recover
from contactlib.results.journal import NAME, read_journal
from contactlib.results.package import is_whole, write_package
from tests.results.endless import endless
from tests.results.test_result_files import bouncing, recorded


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A whole file of 40 frames with contacts, and its run."""
    path = tmp_path_factory.mktemp("whole") / "r.clr"
    run, _ = recorded(bouncing(), path, duration=0.039)
    return path, run


def read_incomplete(path):
    """A recovered result, which warns."""
    with pytest.warns(IncompleteWarning, match="frames are here"):
        return read_result(path)


def test_a_killed_run_keeps_what_was_flushed(tmp_path):
    expected = Simulation(bouncing().compile()).run(5.0, 1e-3)
    for number, seconds in enumerate((0.0, 0.05, 0.31)):
        path = tmp_path / f"{number}.clr"
        process = subprocess.Popen([sys.executable, "-c", endless(bouncing), path], stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        said = process.stdout.read().split("\n")[:-1]  # of a last line without its end nothing is known
        process.wait()
        with pytest.raises(ResultError, match=r"the folder of a run that did not end: \d+ frames can be saved"):
            read_result(f"{path}.part")
        result = read_incomplete(recover(f"{path}.part"))
        assert len(result) >= int(said[-1] if said else 1)
        assert result.states.tobytes() == expected.states[:len(result)].tobytes()
        assert result.incomplete.startswith("the run did not end")


def test_all_moments_of_a_kill(tmp_path):
    """A kill leaves the beginning of what was written: the streams first, then the line of the journal."""
    spec, rng = bouncing(), random.Random(4)
    simulation = Simulation(spec.compile())
    writer = ResultWriter(tmp_path / "r.clr", simulation.model, scene=spec, interval=0.0)
    run = simulation.run(0.02, 1e-3, results=writer)
    writer.abandon()
    journal = (writer.folder / NAME).read_bytes()
    entries = read_journal(writer.folder)
    lines = np.cumsum([len(line) + 1 for line in journal.split(b"\n")[:-1]])
    for case in range(60):
        cut = rng.randrange(int(lines[1]), len(journal) + 1)
        folder = tmp_path / f"case_{case}.clr.part"
        shutil.copytree(writer.folder, folder)
        os.truncate(folder / NAME, cut)
        lines_kept = int(np.searchsorted(lines, cut, side="right"))
        for name, piece in entries[lines_kept - 1].tables.items():
            last = (folder / f"{name}.arrows").stat().st_size
            os.truncate(folder / f"{name}.arrows", rng.randint(piece.size, last))
        frames = entries[lines_kept - 1].frames
        result = read_incomplete(recover(folder, tmp_path / f"{case}.clr"))
        assert len(result) == frames and result.states.tobytes() == run.states[:frames].tobytes()
        assert len(result.contacts["frame"]) == run.contact_count[:frames].sum()


def test_a_changed_bit_in_the_folder_of_a_killed_run_is_found(tmp_path):
    spec, rng = bouncing(), random.Random(5)
    simulation = Simulation(spec.compile())
    writer = ResultWriter(tmp_path / "r.clr", simulation.model, scene=spec, interval=0.0)
    run = simulation.run(0.02, 1e-3, results=writer)
    writer.abandon()
    files = [path for path in sorted(writer.folder.rglob("*")) if path.is_file()]
    for case in range(60):
        file = rng.choice(files)
        if not (content := bytearray(file.read_bytes())):
            continue
        saved = bytes(content)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        file.write_bytes(content)
        try:
            result = read_incomplete(recover(writer.folder, tmp_path / f"{case}.clr"))
        except ResultError as error:
            assert "no frame can be saved" in str(error)
        else:
            assert len(result) <= 21 and result.states.tobytes() == run.states[:len(result)].tobytes()
            assert len(result.contacts["frame"]) == run.contact_count[:len(result)].sum()
        file.write_bytes(saved)


def test_every_cut_is_found(whole, tmp_path):
    path, _ = whole
    content, cut = path.read_bytes(), tmp_path / "cut.clr"
    shutil.copy(path, cut)
    for size in range(len(content) - 1, -1, -1):
        os.truncate(cut, size)
        assert not is_whole(cut)
        if size % 997 == 0:
            with pytest.raises(ResultError, match=r"is damaged or was cut short|is no result file"):
                read_result(cut)


def test_2000_changed_bits_are_found(whole, tmp_path):
    path, _ = whole
    content, rng, changed = path.read_bytes(), random.Random(6), tmp_path / "changed.clr"
    for case in range(2000):
        bits = bytearray(content)
        bits[rng.randrange(len(bits))] ^= 1 << rng.randrange(8)
        changed.write_bytes(bits)
        assert not is_whole(changed)
        if case % 20 == 0:
            with pytest.raises(ResultError, match="is damaged or was cut short, because its checksum is wrong"):
                read_result(changed)


def test_what_is_saved_of_a_damaged_file_is_as_it_was(whole, tmp_path):
    path, run = whole
    content, rng, source = path.read_bytes(), random.Random(7), tmp_path / "changed.clr"
    saved = 0
    for case in range(60):
        bits = bytearray(content)
        if case % 3:
            bits[rng.randrange(len(bits))] ^= 1 << rng.randrange(8)
        else:
            del bits[rng.randrange(len(bits) // 2, len(bits)):]
        source.write_bytes(bits)
        try:
            result = read_incomplete(recover(source, tmp_path / f"{case}.clr"))
        except ResultError as error:
            assert "no frame can be saved" in str(error)
            continue
        saved += 1
        present = np.isfinite(result.states)
        assert (result.states[present] == run.states[:len(result)][present]).all()
        if not present.all():
            assert "lost columns: states." in result.incomplete
        if "contacts" not in result.incomplete:
            assert len(result.contacts["depth"]) == run.contact_count[:len(result)].sum()
    assert saved > 40


def test_a_recovered_file_is_whole_for_its_checksums(whole, tmp_path):
    path, _ = whole
    (tmp_path / "r.clr").write_bytes(path.read_bytes()[:-100])
    target = recover(tmp_path / "r.clr")
    assert target == tmp_path / "r.recovered.clr"
    with pytest.warns(IncompleteWarning, match="40 of its 40 frames are here"):
        check(target)
    with pytest.raises(ResultError, match=r"r\.recovered\.clr exists"):
        recover(tmp_path / "r.clr")
    with pytest.raises(ResultError, match="is whole: there is nothing to recover"):
        recover(path, tmp_path / "other.clr")


def test_a_run_whose_last_step_failed_is_whole(tmp_path, monkeypatch):
    """All rows were written, and the disk was full only when the file was made."""
    def full(*_):
        raise OSError(28, "No space left on device")

    spec = bouncing()
    simulation = Simulation(spec.compile())
    monkeypatch.setattr("contactlib.results.writer.write_package", full)
    with (pytest.raises(OSError, match="No space left"),
          ResultWriter(tmp_path / "r.clr", simulation.model, scene=spec) as writer):
        simulation.run(0.02, 1e-3, results=writer)
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(check(recover(tmp_path / "r.clr.part"))) == 21


def rewritten(path, target, **changes):
    """Write a result file with other members and a right checksum, as somebody might on purpose."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != "FORMAT"}
    return write_package(target, members | changes)


@pytest.mark.parametrize(("member", "content", "sentence"), [
    ("manifest.json", b"{}", "its manifest.json is damaged: KeyError"),
    ("manifest.json", b"[1, 2]", "its manifest.json is damaged"),
    ("manifest.json", b"\xff", "its manifest.json is damaged"),
    ("scene.json", b"[]", "its scene is damaged"),
    ("scene.json", b'{"class": "os"}', "its scene has a os, which this version"),
    ("states.parquet", b"PAR1", "its table states is damaged"),
    ("model.bin", b"contact\n", "model")])
def test_hostile_files_give_a_sentence(whole, tmp_path, member, content, sentence):
    with pytest.raises(ValueError, match=sentence):
        found = read_result(rewritten(whole[0], tmp_path / "r.clr", **{member: content}))
        assert found.scene and found.model and found.states.size


def test_compressed_members_are_refused(whole, tmp_path):
    """A few bytes could fill the memory."""
    target = rewritten(whole[0], tmp_path / "r.clr")
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("bomb", bytes(1 << 20), zipfile.ZIP_DEFLATED)
        archive.comment = b"0" * 64
    content = target.read_bytes()[:-64]
    target.write_bytes(content + hashlib.sha256(content).hexdigest().encode())
    with pytest.raises(ResultError, match="its member 'bomb' is compressed"):
        read_result(target)


@pytest.mark.parametrize(("content", "sentence"), [
    (b"", "is no result file"), (b"PK\x03\x04", "is no result file"), (b"time,x\n0,1\n", "is no result file")])
def test_other_files_are_no_result_files(tmp_path, content, sentence):
    path = tmp_path / "run.csv"
    path.write_bytes(content)
    with pytest.raises(ResultError, match=sentence):
        read_result(path)
    with pytest.raises(ResultError, match="is a folder, must be a result file"):
        read_result(tmp_path)
    with pytest.raises(OSError, match="No such file"):
        read_result(tmp_path / "missing.clr")
