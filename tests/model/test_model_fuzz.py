"""Damaged model files and saved states: refused with a sentence, or harmless; never a crash.

CONTACTLIB_SOAK multiplies the number of random cases.
"""

import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib._core.engine import MODEL_VERSION, checksum, element_table, law_tables, state_checksum
from contactlib.model.model_file import MAGIC, RECORDS
from tests.support.every_element import SPECS
from tests.support.fuzzed_models import EVERY_MODEL, MODELS, touching
from tests.support.saved import GLOBALS, sealed
from tests.support.saved import HEADER as SAVED
from tests.support.saved import checksum as saved_checksum
from tests.support.saved import version as saved_version
from tests.support.scenes import body, law, scene

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
SECTIONS = ("scene", "bodies", "groups", "shapes", "laws", "curves", "material_pairs", "pairs", "surfaces", "vertices",
            "counts", "loops", "elements", "numbers", "integers", "strings", "pair_rules")
HEADER, SECTION = struct.Struct("<8sIIQ32s"), struct.Struct("<IIQQ")  # as core/model/format.hpp says
COVERED = 24  # the checksum stands for every byte from here on
NUMBERS = [struct.pack("<d", x) for x in (0, -1, 0.5, 1e308, -1e308, 1e-308, float("inf"), float("nan"))]
INTEGERS = [struct.pack("<Q", x) for x in (0, 1, 2, 7, 63, 2**31 - 1, 2**31, 2**32 - 1, 2**60, 2**64 - 1)]


each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def repaired(content):
    """The mark, version, section count and checksum as they should be: the damage behind them gets in."""
    covered = content[COVERED:]
    return HEADER.pack(MAGIC, MODEL_VERSION, len(SECTIONS), checksum(covered), b"")[:COVERED] + covered


def test_the_header_as_the_core_has_it():
    """The format that this file damages, written down once more."""
    header, section = RECORDS["header"], RECORDS["section"]
    assert (header.itemsize, section.itemsize) == (HEADER.size, SECTION.size)
    assert [header.fields[name][1] for name in header.names] == [0, 8, 12, 16, COVERED]
    assert [section.fields[name][1] for name in ("tag", "record_size", "count", "offset")] == [0, 4, 8, 16]


def patched(content, at, piece):
    return content[:at] + piece + content[at + len(piece):]


def taken(content):
    """True if the model is read, and then works or raises ValueError; False if it is refused with one."""
    try:
        model = contactlib.Model.from_bytes(content)
    except ValueError as error:
        assert str(error)
        return False
    assert all(part.isidentifier() for name in (model.name, *model.body_names) for part in name.split("."))
    assert all(np.isfinite(v.start) for v in model.variables)
    try:
        simulation = contactlib.Simulation(model)
        simulation.step(1.5 * model.step_size)
    except ValueError as error:
        assert any(words in str(error) for words in ("not finite", "set max_contacts", "is reeled in", "is unstable"))
        return True
    assert np.isfinite(simulation.wrenches).all() and np.isfinite(simulation.states).all()
    return True


def damaged(content, random):
    """One to three times: a piece changed, anywhere or in the section table, the end lost, bytes put in."""
    for _ in range(random.integers(1, 4)):
        at = int(random.integers(len(content) or 1))
        aligned = at // 4 * 4
        match random.integers(6):
            case 0:
                content = patched(content, at, random.bytes(1)) if content else content
            case 1:
                content = patched(content, aligned, NUMBERS[random.integers(len(NUMBERS))])
            case 2:
                piece = INTEGERS[random.integers(len(INTEGERS))]
                content = patched(content, aligned, piece[: random.choice((4, 8))])
            case 3:
                entry = HEADER.size + int(random.integers(len(SECTIONS) * SECTION.size)) // 4 * 4
                content = patched(content, entry, INTEGERS[random.integers(len(INTEGERS))][:4])
            case 4 if random.integers(4) == 0:
                content = content[:at]
            case 5 if random.integers(4) == 0:
                content = content[:at] + random.bytes(8) + content[at:]
    return content


# ---- model files ---------------------------------------------------------------------------------


@each_model
def test_whole_models_are_taken(model):
    content = model.to_bytes()
    assert taken(content) and repaired(content) == content
    copy = contactlib.Model.from_bytes(content)
    assert copy.hash == model.hash and copy.to_bytes() == content and copy.variables == model.variables


@each_model
def test_truncated_models_are_refused(model):
    content = model.to_bytes()
    for length in range(len(content)):
        assert not taken(content[:length])
        assert not taken(repaired(content[:length]))


@each_model
def test_a_single_flipped_bit_is_noticed(model):
    content = model.to_bytes()
    for bit in range(8 * len(content)):
        flipped = bytes([content[bit // 8] ^ 1 << bit % 8])
        with pytest.raises(ValueError, match=r"mark|version|checksum|header"):
            contactlib.Model.from_bytes(patched(content, bit // 8, flipped))


@each_model
@pytest.mark.parametrize("seed", range(4))
def test_damage_behind_a_good_checksum(model, seed):
    random = np.random.default_rng(seed)
    content = model.to_bytes()
    results = [taken(repaired(damaged(content, random))) for _ in range(1000 * SOAK)]
    assert 0.02 < np.mean(results) < 0.98  # else the damage misses what it is aimed at


@each_model
def test_every_number_replaced(model):
    content = model.to_bytes()
    for at in range(HEADER.size, len(content), 4):
        for piece in (*NUMBERS, *(piece[:4] for piece in INTEGERS)):
            taken(repaired(patched(content, at, piece)))


@each_model
@pytest.mark.parametrize("section", range(len(SECTIONS)), ids=SECTIONS)
def test_section_table(model, section):
    content = model.to_bytes()
    at = HEADER.size + section * SECTION.size
    tag, size, count, offset = SECTION.unpack_from(content, at)
    for entry in (
        (tag + 1, size, count, offset), (tag, size + 8, count, offset), (tag, 0, count, offset),
        (tag, size, 2**64 - 1, offset), (tag, size, 2**64 // size - 1, offset),
        (tag, size, len(content), offset), (tag, size, count, len(content) + 1),
        (tag, size, count, 2**64 - 8),
        (tag, size, count, len(content) - count * size + 1),
    ):
        with pytest.raises(ValueError, match=f"truncated or inconsistent in section '{SECTIONS[section]}'"):
            contactlib.Model.from_bytes(repaired(patched(content, at, SECTION.pack(*entry))))


@each_model
def test_header(model):
    content = model.to_bytes()
    for changed, message in [
        (b"", "truncated"),
        (b"PK\3\4" + content, "not a contactlib model"),
        (patched(content, 8, bytes([MODEL_VERSION + 1])), f"version {MODEL_VERSION + 1}, this build reads "),
        (patched(content, 12, b"\7"), "truncated or inconsistent in section 'header'"),
        (patched(content, 16, b"\0" * 8), "checksum"),
        (content + b"\0", "checksum"),
    ]:
        with pytest.raises(ValueError, match=message):
            contactlib.Model.from_bytes(changed)


def test_names_that_cannot_be_variables():
    content = MODELS["peg_in_hole"].to_bytes()
    at = content.rindex(b"interface")
    for letter in (b" ", b"\0", b"\xff", b"<", b".", b"7"):
        with pytest.raises(ValueError, match="out of its range in section 'bodies'"):
            contactlib.Model.from_bytes(repaired(patched(content, at, letter)))


PLANE = {"kind": "plane"}


@pytest.mark.parametrize(("form", "other", "sharpness", "section"), [
    ({"kind": "sphere", "radius": 0.1}, PLANE, 2, "pairs"),
    ({"kind": "box", "size": [1, 1, 1], "rounding": 0.1}, {"kind": "cylinder", "radius": 1, "length": 1}, 2, "pairs"),
    ({"kind": "box", "size": [1, 1, 1]}, PLANE, 4, "laws")])
def test_a_law_of_surfaces_for_points(form, other, sharpness, section):
    """A file whose law becomes an elastic foundation behind the compiler's back."""
    one, ground = ({"name": "s", "material": "a", **keys} for keys in (form, other))
    spring = law("pad", ["a", "a"], {"kind": "kelvin_voigt", "stiffness": 1.0, "damping": 0.0})
    parts = [body("one", "external", [one]), body("other", "fixed", [ground])]
    content = scene(parts, [{**spring, "sharpness": sharpness}], [["one", "other"]]).compile().to_bytes()
    laws = SECTION.unpack_from(content, HEADER.size + SECTIONS.index("laws") * SECTION.size)[3]
    at = laws + RECORDS["law"].fields["normal"][1]
    kinds = [name for name, _ in law_tables()["normal"]]
    assert struct.unpack_from("<i", content, at)[0] == kinds.index("kelvin_voigt")
    damaged = repaired(patched(content, at, struct.pack("<i", kinds.index("elastic_foundation"))))
    with pytest.raises(ValueError, match=f"in section '{section}'"):
        contactlib.Model.from_bytes(damaged)


# ---- saved states --------------------------------------------------------------------------------


@pytest.fixture(params=EVERY_MODEL)
def simulation(request):
    return touching(request.param)


def restored(simulation, saved):
    """True if the state is taken, False if it is refused and nothing has changed."""
    before = simulation.save()
    try:
        simulation.restore(saved)
    except ValueError as error:
        assert "saved state" in str(error)
        assert simulation.save() == before
        return False
    assert simulation.save() == saved
    return True


def test_every_element_is_at_work():
    """So that damage to its state can lead somewhere."""
    rows = {row for name in SPECS for _, row, _, _ in EVERY_MODEL[name].core.elements}
    assert rows == {name for name, *_ in element_table()}
    assert touching("cables").elements["ropes"].touching > 1
    assert touching("snare").elements["snare"].touching > 1 and touching("snare").elements["snare"].phase == 1
    assert touching("joints").elements["joints"].force.min() > 0.0
    assert touching("joints").elements["line"].tension > 0.0
    latches = touching("berthing").elements
    assert latches["berthing"].phase > 1 and latches["latch1"].load != 0.0 and latches["seal_load"].touching
    assert touching("latch_drive").elements["drive"].torque != 0.0
    assert touching("membranes").elements["net"].touching > 1


def test_the_layout_of_a_state(simulation):
    """As core/boundary/saved_state.hpp says it, told once more in saved.py."""
    saved = simulation.save()
    mark, checksum, version, fixed, hash_, count = SAVED.unpack_from(saved)
    assert mark == b"CLSTATE\n" and version == saved_version() and fixed <= count
    assert hash_.decode() == simulation.model.hash
    assert len(saved) == SAVED.size + 8 * count
    assert checksum == saved_checksum(saved[16:]) == state_checksum(saved[16:]) and sealed(saved) == saved


def test_states_that_are_truncated_or_too_long(simulation):
    saved = simulation.save()
    for length in range(0, len(saved), 8 if len(saved) > 10_000 else 1):
        assert not restored(simulation, saved[:length])
        assert not restored(simulation, sealed(saved[:length]))
    assert not restored(simulation, saved + b"\0" * 8) and not restored(simulation, sealed(saved + b"\0" * 8))
    assert restored(simulation, saved)


def test_states_of_another_model(simulation):
    for model in EVERY_MODEL.values():
        saved = contactlib.Simulation(model).save()
        assert restored(simulation, saved) is (model.hash == simulation.model.hash)


def test_what_is_wrong_is_said(simulation):
    saved = simulation.save()
    other = next(m for m in MODELS.values() if m.hash != simulation.model.hash)
    for state, sentence in [
        (b"", "not a saved state"),
        (b"X" + saved[1:], "not a saved state"),
        (saved[:-8], "checksum or its length"),
        (patched(saved, SAVED.size, b"\xff"), "checksum or its length"),
        (sealed(patched(saved, 16, b"\1")), "another version"),
        (sealed(patched(saved, 20, b"\1")), "another version"),
        (contactlib.Simulation(other).save(), "another model"),
        (sealed(patched(saved, SAVED.size, NUMBERS[-1])), "out of its range"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            simulation.restore(state)
    assert simulation.save() == saved


def test_a_single_flipped_bit_of_a_state_is_noticed(simulation):
    saved = simulation.save()
    random = np.random.default_rng(3)
    for bit in random.permutation(8 * len(saved))[:3000 * SOAK]:
        assert not restored(simulation, patched(saved, bit // 8, bytes([saved[bit // 8] ^ 1 << bit % 8])))


def test_two_flipped_signs_are_noticed(simulation):
    """The highest bits of two words, which a plain product would carry nowhere."""
    saved = simulation.save()
    random = np.random.default_rng(4)
    for _ in range(1000):
        state = bytearray(saved)
        for word in random.choice(np.arange(SAVED.size // 8, len(saved) // 8), 2, replace=False):
            state[8 * word + 7] ^= 0x80
        assert not restored(simulation, bytes(state))


@pytest.mark.parametrize("seed", range(2))
def test_damaged_states(simulation, seed):
    """Behind a good checksum: refused, or a step that ends; `step_size` alone stays as it was, for the test's sake."""
    random = np.random.default_rng(seed)
    saved = simulation.save()
    size = slice(SAVED.size + 8, SAVED.size + 16)
    results = []
    for _ in range(100 * SOAK):
        state = damaged(saved, random)
        state = sealed(state[:size.start] + saved[size] + state[size.stop:])
        results.append(restored(simulation, state))
        try:
            simulation.step(1.5 * simulation.data.get(step_size(simulation.model)))
        except ValueError as error:
            assert any(words in str(error) for words in REFUSALS), str(error)
        simulation.restore(saved)
    assert 0.01 < np.mean(results) < 0.99


#: why a step from a damaged state may be refused
REFUSALS = ("finite", "quaternion", "is reeled in", "set max_contacts", "cables touch at more places", "does not reach",
            "is unstable", "must have principal moments")


def step_size(model):
    return [v.name for v in model.variables].index("step_size")


def test_every_number_of_a_state_replaced(simulation):
    saved = simulation.save()
    for at in range(0, len(saved), 8 * max(1, len(saved) // (20_000 * SOAK))):
        for piece in NUMBERS:
            restored(simulation, sealed(patched(saved, at, piece)))
            simulation.restore(saved)
        assert at < SAVED.size or not restored(simulation, sealed(patched(saved, at, NUMBERS[-1])))  # nan


def test_numbers_that_choose(simulation):
    """What counts, and what is 0 or 1: no other value is taken."""
    saved = simulation.save()
    for name in ("fresh", "contact_count", "deep_count", "memory_count", "resolve_in", "wrench_output", "coupling"):
        at = SAVED.size + 8 * GLOBALS.index(name)
        for value in (2.5, -1.0, 2e9, 1e300):
            assert not restored(simulation, sealed(patched(saved, at, struct.pack("<d", value)))), name


# ---- the reader under the sanitizers -------------------------------------------------------------

@pytest.fixture(scope="module")
def fuzzer(sanitized_core):
    """tests/model/fuzz_model.cpp and the core, built with the sanitizers."""
    return sanitized_core.program(Path(__file__).with_name("fuzz_model.cpp"))


def run_fuzzer(fuzzer, cases, *files):
    """How many of them were taken."""
    model, *state = files
    result = subprocess.run([fuzzer, model, "1", str(cases), *state], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    taken, _, refused, _ = result.stdout.split()
    assert int(taken) + int(refused) == cases
    return int(taken)


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_models_under_the_sanitizers(fuzzer, name, tmp_path):
    (tmp_path / "model.bin").write_bytes(EVERY_MODEL[name].to_bytes())
    cases = (2_000 if name in MODELS else 400) * SOAK
    taken = run_fuzzer(fuzzer, cases, tmp_path / "model.bin")
    assert 0.05 * cases < taken < 0.95 * cases  # else the damage misses what it is aimed at


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_states_under_the_sanitizers(fuzzer, name, tmp_path):
    (tmp_path / "model.bin").write_bytes(EVERY_MODEL[name].to_bytes())
    (tmp_path / "state.bin").write_bytes(touching(name).save())
    cases = 300 * SOAK
    taken = run_fuzzer(fuzzer, cases, tmp_path / "model.bin", tmp_path / "state.bin")
    assert 0.02 * cases < taken < 0.98 * cases
