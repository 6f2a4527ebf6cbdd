"""The C library: contactlib.h in C99, C++ and through a foreign-function interface, with the bits of Python."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.fmu.library import export_library, library_name
from contactlib.fmu.platforms.sources import C_HEADER
from contactlib.model.spec import replace

HERE = Path(__file__).parent
CC = next((found for name in (os.environ.get("CC", "cc"), "gcc") if (found := shutil.which(name))), None)
CXX = next((found for name in (os.environ.get("CXX", "c++"), "g++") if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux") or not CC or not CXX,
                                reason="needs compilers for C and C++ on Linux")
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
H, STEPS = 1e-3, 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The header, the library and the scene."""
    path = tmp_path_factory.mktemp("c")
    export_library(path, [contactlib.load("peg_in_hole").compile()])
    return path


def program(folder, source, name, compiler=CC, standard="-std=c99"):
    """A compiled program that finds the library beside it."""
    found = folder / name
    subprocess.run([compiler, standard, *STRICT, str(source), f"-I{folder}", f"-L{folder}", "-lcontactlib",
                    f"-Wl,-rpath,{folder}", "-lm", "-o", str(found)], check=True)
    return found


def run(*command):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LD_"))}
    return subprocess.run([*map(str, command)], capture_output=True, text=True, env=clean, check=False)


def docking(simulation):
    """States (steps, bodies, 13) that bring the pins against the rims of their holes, with a little rattling."""
    rows = np.tile(simulation.states, (STEPS, 1, 1))
    t = H * np.arange(STEPS)
    rows[:, 0, 2] -= 0.02 * t / t[-1] + 1e-3 * np.sin(60 * t)
    rows[:, 0, 0] += 8e-4 * np.sin(25 * t)
    rows[:, 0, 9] = np.gradient(rows[:, 0, 2], H)
    rows[:, 0, 7] = np.gradient(rows[:, 0, 0], H)
    return rows


@pytest.mark.parametrize("coupling", ["none", "gauss_seidel"])
def test_a_simulator_in_c_has_the_bits_of_python(folder, tmp_path, coupling):
    """All misuse that the header speaks of is refused too: host.c."""
    model = replace(contactlib.load("peg_in_hole"), coupling=coupling).compile()
    (tmp_path / "scene.bin").write_bytes(model.to_bytes())
    simulation = contactlib.Simulation(model)
    rows = docking(simulation)
    numbers = [len(model.body_names), STEPS, H, *rows.ravel().tolist()]
    (tmp_path / "inputs").write_text("\n".join(x.hex() if isinstance(x, float) else str(x) for x in numbers))
    result = run(program(folder, HERE / "host.c", "host"), tmp_path / "scene.bin", tmp_path / "inputs")
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    found = {name: [[float.fromhex(x) for x in line[1:]] for line in lines if line[0] == name]
             for name in ("wrenches", "contact", "time")}

    wrenches, contacts = [], []
    for row in rows:
        wrenches.append(simulation.step(H, row).wrenches.ravel())
        contacts += [[c["body_a"], c["body_b"], c["p_AC_W"][0], c["n_AB_W"][2], c["depth"], c["f_B_W"][1],
                      c["slipping"]] for c in simulation.contacts]
    assert np.abs(wrenches).max() > 1.0 and len(contacts) > 100
    assert np.array(found["wrenches"]).tobytes() == np.array(wrenches).tobytes()
    assert np.array(found["contact"]).tobytes() == np.array(contacts, dtype=float).tobytes()
    assert found["time"] == [[simulation.time]]


def test_the_header_is_c_plus_plus_too(folder, tmp_path):
    source = tmp_path / "main.cpp"
    source.write_text('#include "contactlib.h"\nint main() { return contactlib_version()[0] == \'0\' ? 0 : 1; }\n')
    assert run(program(folder, source, "cpp", CXX, "-std=c++11")).returncode == 0


def test_the_example_docks_as_one_solver_does(folder):
    """examples/c_docking.c at steps of 5 ms, against all bodies and contacts in one solver at 0.1 ms."""
    docks = program(folder, HERE.parents[1] / "examples/c_docking.c", "docking")
    result = run(docks, folder / "peg_in_hole.bin", 3, 5e-3)
    assert result.returncode == 0, result.stderr
    number = r"(-?\d+\.\d+)"
    found = np.array([[float(x) for x in re.findall(number, line)] for line in result.stdout.splitlines()[1:]])
    free = contactlib.load("peg_in_hole").with_motion("free", "interface", "target")
    alone = contactlib.Simulation(free.compile()).run(3.0, 1e-4, every=30000).states[-1]
    assert np.abs(found[:, :3] - alone[:, :3]).max() < 2e-4  # m; 6e-5 is measured, of a path of 48 mm
    assert np.abs(found[:, 3:] - alone[:, 7:10]).max() < 2e-4  # m/s; 3e-5 is measured


@pytest.fixture(scope="module")
def library(folder):
    """The library, for ctypes."""
    found, doubles = ctypes.CDLL(str(folder / library_name())), ctypes.POINTER(ctypes.c_double)
    for name in ("load", "message", "warnings"):
        getattr(found, f"contactlib_{name}").restype = ctypes.c_void_p if name == "load" else ctypes.c_char_p
    found.contactlib_load.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    found.contactlib_step.argtypes = [ctypes.c_void_p, ctypes.c_double, doubles, doubles]
    found.contactlib_states.argtypes = found.contactlib_place.argtypes = [ctypes.c_void_p, doubles]
    found.contactlib_apply.argtypes = [ctypes.c_void_p, ctypes.c_size_t, doubles]
    for name in ("free", "message", "warnings", "reset"):
        getattr(found, f"contactlib_{name}").argtypes = [ctypes.c_void_p]
    return found


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def test_free_bodies_go_on_from_where_they_are(library, tmp_path):
    """Their rows are not read by a step; `place` moves them, and a load pushes them. As in Python, to the bit."""
    model = contactlib.load("rover_wheel").compile()
    (tmp_path / "wheel.bin").write_bytes(model.to_bytes())
    s, simulation = library.contactlib_load(str(tmp_path / "wheel.bin").encode(), None, 0), contactlib.Simulation(model)
    wheel = list(model.body_names).index("wheel")
    first, found = simulation.states.copy(), np.empty((len(model.body_names), 13))
    load = np.array([1.0, 2.0, 0.0, 0.0, 0.0, 0.5])
    assert library.contactlib_apply(s, wheel, pointer(load)) == 0
    simulation.apply("wheel", load[:3], load[3:])
    for _ in range(200):
        assert library.contactlib_step(s, H, pointer(first), None) == 0
        simulation.step(H)
    library.contactlib_states(s, pointer(found))
    assert found.tobytes() == simulation.states.tobytes()
    assert np.abs(found - first)[wheel, :3].max() > 1e-3

    first[wheel, 2] += 0.1
    assert library.contactlib_place(s, pointer(first)) == 0
    library.contactlib_step(s, H, None, None)
    simulation.step(H, first)
    library.contactlib_states(s, pointer(found))
    assert found.tobytes() == simulation.states.tobytes()
    library.contactlib_free(s)


def test_warnings_are_kept_until_they_are_read(library, tmp_path):
    """Of each cause once, whenever they are read; again after a reset."""
    spec = contactlib.load("peg_in_hole").with_motion("free", "interface", "target")
    model = replace(spec, step_size=5e-3).compile()
    (tmp_path / "free.bin").write_bytes(model.to_bytes())
    s, found = library.contactlib_load(str(tmp_path / "free.bin").encode(), None, 0), []
    for _ in range(2):
        for _ in range(30):
            assert library.contactlib_step(s, 0.05, None, None) == 0, library.contactlib_message(s)
        found += [library.contactlib_warnings(s), library.contactlib_warnings(s)]
        library.contactlib_reset(s)
    library.contactlib_free(s)
    assert b"step" in found[0] and found == [found[0], b"", found[0], b""]


def test_the_reason_fits_behind_a_long_path(library):
    message = ctypes.create_string_buffer(1024)
    assert library.contactlib_load(("x" * 3000 + "\u00e9" * 250).encode(), message, 1024) is None
    text = message.value.decode()
    assert text.startswith('The scene "...') and text.endswith("is there such a file?")


def test_other_languages_call_it_by_its_names(library, folder):
    """As Julia's ccall and Fortran's bind(C) do: through the library alone, two simulations in two threads."""
    rows = docking(contactlib.Simulation(contactlib.load("peg_in_hole").compile()))
    found = {}

    def simulate(name):
        s, wrenches = library.contactlib_load(str(folder / "peg_in_hole.bin").encode(), None, 0), np.empty((2, 6))
        kept = []
        for row in rows:
            assert library.contactlib_step(s, H, pointer(row), pointer(wrenches)) == 0
            kept.append(wrenches.copy())
        library.contactlib_free(s)
        found[name] = np.array(kept).tobytes()

    threads = [threading.Thread(target=simulate, args=(name,)) for name in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[1] == found[2] != np.zeros((STEPS, 2, 6)).tobytes()


def test_the_header_has_the_version_and_the_names_of_the_library(folder):
    text = C_HEADER.read_text()
    assert f'#define CONTACTLIB_VERSION "{contactlib.__version__}"' in text
    declared = set(re.findall(r"\b(contactlib_\w+)\(", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))
    command = ["nm", "-D", "--defined-only", str(folder / library_name())]
    exported = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert declared == set(re.findall(r"\b(contactlib_\w+)$", exported, flags=re.MULTILINE))


def test_the_command_writes_the_folder(tmp_path):
    result = CliRunner().invoke(app, ["library", "peg_in_hole", "rover_wheel", "-o", str(tmp_path / "c")])
    assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "c").iterdir()}
    assert names == {"contactlib.h", "libcontactlib.so", "peg_in_hole.bin", "rover_wheel.bin"}
    model = contactlib.load("rover_wheel").compile()
    assert (tmp_path / "c" / "rover_wheel.bin").read_bytes() == model.to_bytes()


def test_platforms_that_are_not_built_are_told(tmp_path):
    result = CliRunner().invoke(app, ["library", "-o", str(tmp_path), "--platform", "vax"])
    assert result.exit_code == 1 and "must be one of" in result.output
