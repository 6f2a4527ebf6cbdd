"""coal, FCL and MuJoCo beside our kernels at the same poses, each in its fastest form that its package allows.

narrow_phase.cpp loops around all of them but FCL, whose Python package brings no headers.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from benchmarks.common import HERE, Floats, address
from contactlib.fmu.build import core_sources, default_core, eigen_include, find_compiler

DRIVER = HERE / "narrow_phase.cpp"
BUILT = HERE.parent / "build" / "benchmarks"
KEPT = HERE.parent / "build" / "core"
FCL_SEES = 500  # poses: Python takes its time
NO_SURFACE = (np.zeros((0, 3)), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))


# ---- compiling -----------------------------------------------------------------------------------


@cache
def with_contactlib() -> ctypes.CDLL:
    """The driver with the core's own sources and flags."""
    return ctypes.CDLL(str(_linked("WITH_CONTACTLIB", ["-shared"], "contactlib.so")))


def allocation_counter() -> Path:
    """The program that counts what advance() allocates."""
    return _linked("COUNT_ALLOCATIONS", [], "allocations")


def instruction_counter() -> Path:
    """The program of instructions.py."""
    return _linked("WITH_CONTACTLIB", [], "instructions", HERE / "instructions.cpp")


def _linked(part: str, flags: list[str], name: str, driver: Path = DRIVER) -> Path:
    core = default_core()
    settings = tomllib.loads((core / "build.toml").read_text(encoding="utf-8"))
    command = [*find_compiler(), f"-std={settings['standard']}", *settings["flags"], "-fPIC",
               *(f"-D{name}" for name in settings["defines"]), f"-I{core}", f"-isystem{eigen_include()}"]
    kept = _kept_objects(core)
    jobs = [[*command, "-c", str(source)] for source in ([] if kept else core_sources(core))]
    jobs.append([*command, f"-D{part}", "-c", str(driver)])
    keys = [b"".join(file.read_bytes() for file in _files(Path(job[-1]), core)) for job in jobs]
    if not all(_target(job, key).exists() for job, key in zip(jobs, keys, strict=True)):
        print(f"  compiling into {BUILT}", file=sys.stderr)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = [*kept, *pool.map(_made, jobs, keys)]
    key = name.encode() + b"".join(hashlib.sha256(file.read_bytes()).digest() for file in kept)
    return _made([*find_compiler(), *flags, *map(str, objects)], key)


def _kept_objects(core: Path) -> list[Path]:
    """The core's objects that `make install` keeps, with the same flags; none if a file of the core is newer."""
    objects = [KEPT / f"{k}_{source.stem}.o" for k, source in enumerate(core_sources(core))]
    if not all(file.exists() for file in objects):
        return []
    newest = max(file.stat().st_mtime for file in core.rglob("*") if file.is_file())
    return objects if min(file.stat().st_mtime for file in objects) > newest else []


def _files(source: Path, core: Path) -> list[Path]:
    """A source and all of the core's headers that it includes, directly or not."""
    files = [source]
    for file in files:
        for name in re.findall(r'^#include "(.+)"', file.read_text(encoding="utf-8"), re.MULTILINE):
            found = (file.parent / name).resolve()
            header = found if found.exists() else (core / name).resolve()
            if header not in files:
                files.append(header)
    return files


def _target(command: list[str], key: bytes) -> Path:
    """Where the result of a command is kept: named after all that goes into it."""
    return BUILT / f"{hashlib.sha256(repr(command).encode() + key).hexdigest()[:20]}.o"


def _made(command: list[str], key: bytes) -> Path:
    """Run the compiler, unless the same was made before. RuntimeError with what it said."""
    target = _target(command, key)
    if not target.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        fresh = target.with_suffix(f".{os.getpid()}")
        result = subprocess.run([*command, "-o", str(fresh)], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"the compiler failed: {' '.join(command)}\n{result.stderr}")
        fresh.replace(target)
    return target


def _with_library(part: str, includes: list[Path], library: Path) -> ctypes.CDLL:
    """The driver with another library, optimised like the core but with that library's own Eigen settings."""
    command = [*find_compiler(), "-std=c++17", "-O3", "-fPIC", "-shared", f"-D{part}",
               *(f"-isystem{folder}" for folder in includes), str(DRIVER), f"-L{library.parent}",
               f"-l:{library.name}", f"-Wl,-rpath,{library.parent}"]
    return ctypes.CDLL(str(_made(command, DRIVER.read_bytes())))


# ---- poses and answers ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Poses:
    """Poses (n, 7) of A and B in the world: position in m, unit quaternion, scalar first."""

    X_WA: Floats
    X_WB: Floats

    def __len__(self) -> int:
        return len(self.X_WA)

    def first(self, n: int) -> Poses:
        return Poses(self.X_WA[:n], self.X_WB[:n])

    @property
    def p_AB(self) -> Floats:
        return np.asarray(self.X_WB[:, :3] - self.X_WA[:, :3])

    @property
    def rotations(self) -> tuple[Floats, Floats]:
        """R_WA and R_WB, (n, 3, 3)."""
        R_WA, R_WB = (Rotation.from_quat(np.roll(X[:, 3:], -1, axis=1)).as_matrix() for X in (self.X_WA, self.X_WB))
        return R_WA, R_WB

    def by_columns(self) -> Floats:
        """(n, 24): R_WA column by column, p_WA, R_WB, p_WB."""
        R_WA, R_WB = (np.swapaxes(R, 1, 2).reshape(-1, 9) for R in self.rotations)
        return np.hstack([R_WA, self.X_WA[:, :3], R_WB, self.X_WB[:, :3]])


class Described(ctypes.Structure):
    """A shape for the driver."""

    _fields_ = (("kind", ctypes.c_char_p), ("sizes", ctypes.c_void_p), ("vertices", ctypes.c_void_p),
                ("vertex_count", ctypes.c_size_t), ("loops", ctypes.c_void_p), ("counts", ctypes.c_void_p),
                ("face_count", ctypes.c_size_t))

    def __init__(self, shape: Any) -> None:
        numbers = shape.numbers()
        self.sizes_ = np.array([*numbers, *[0.0] * (9 - len(numbers))])
        self.surface = shape.surface() if hasattr(shape, "surface") else NO_SURFACE
        vertices, loops, counts = self.surface
        super().__init__(shape.kind.encode(), address(self.sizes_), address(vertices), len(vertices), address(loops),
                         address(counts), len(counts))


class Query:
    """A pair of shapes at many poses, ready to be timed: `run` fills `found` (n, 5) with count, depth, normal."""

    name = how = ""
    same = True  # it solves our problem and not an easier one

    def __init__(self, n: int) -> None:
        self.found = np.zeros((n, 5))

    def run(self) -> None:
        raise NotImplementedError

    def call(self) -> None:
        """What `run` takes besides, to be taken off."""

    @property
    def touching(self) -> NDArray[np.bool_]:
        return np.asarray(self.found[:, 0] > 0)


class Made:
    """What a driver made of two shapes, until it is forgotten."""

    def __init__(self, library: ctypes.CDLL, name: str, a: Any, b: Any) -> None:
        make, self.free = getattr(library, f"{name}_make"), getattr(library, f"{name}_free")
        make.restype = ctypes.c_void_p
        self.pointer = ctypes.c_void_p(make(ctypes.byref(Described(a)), ctypes.byref(Described(b))))
        if not self.pointer:
            raise ValueError(f"{name} has nothing for {a.kind} and {b.kind}")

    def __del__(self) -> None:
        self.free(self.pointer)


# ---- contactlib ----------------------------------------------------------------------------------


class Kernel(Query):
    """The kernel of the pair table at placements that are ready."""

    name, how = "contactlib", "C++"

    def __init__(self, a: Any, b: Any) -> None:
        self.library = with_contactlib()
        self.made = Made(self.library, "contactlib", a, b)

    def place(self, poses: Poses, hints: Floats | None = None) -> None:
        """The poses that `run` evaluates; `hints` (n, 3) are normals of an earlier contact."""
        super().__init__(len(poses))
        rows = poses.by_columns()
        still = np.zeros((len(rows), 3)) if hints is None else hints
        self.rows = np.hstack([rows[:, :9], rows[:, 12:21], poses.p_AB, still])

    def run(self) -> None:
        self._collide(len(self.rows))

    def call(self) -> None:
        self._collide(0)

    def _collide(self, n: int) -> None:
        self.library.contactlib_collide(self.made.pointer, address(self.rows), ctypes.c_size_t(n), address(self.found))


# ---- coal ----------------------------------------------------------------------------------------


class Coal(Query):
    """collide() with up to 64 contacts and, for two shapes that touch, their contact patch."""

    name, how = "coal", "C++"

    def __init__(self, a: Any, b: Any, poses: Poses, earlier: Poses | None = None) -> None:
        """With earlier poses GJK starts from what it found there."""
        super().__init__(len(poses))
        prefix = Path(str(importlib.metadata.distribution("coal").locate_file("cmeel.prefix")))
        includes = [prefix / "include", prefix / "include" / "eigen3"]
        self.library = _with_library("WITH_COAL", includes, prefix / "lib" / "libcoal.so")
        self.made = Made(self.library, "coal", a, b)
        if earlier is not None:
            self.place(earlier)
            self.library.coal_remember(self.made.pointer)
        self.place(poses)

    def place(self, poses: Poses) -> None:
        rows = poses.by_columns()
        self.library.coal_place(self.made.pointer, address(rows), ctypes.c_size_t(len(rows)))

    def run(self) -> None:
        self.library.coal_collide(self.made.pointer, address(self.found))


# ---- MuJoCo --------------------------------------------------------------------------------------


class MuJoCo(Query):
    """The function of MuJoCo's own table for the pair of geoms, without mj_collision's broad phase and bookkeeping."""

    name, how = "MuJoCo", "C"

    def __init__(self, a: Any, b: Any, poses: Poses) -> None:
        super().__init__(len(poses))
        import mujoco

        if b.kind == "mesh":  # as every mesh in MuJoCo
            self.how, self.same = "C, the mesh as its convex hull", False
        folder = Path(mujoco.__file__).parent
        self.library = _with_library("WITH_MUJOCO", [folder / "include"], next(folder.glob("libmujoco.so*")))
        self.model = mujoco.MjModel.from_xml_string(_xml(a, b))
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        # MuJoCo moves and turns a mesh to its principal axes
        own = zip(self.data.geom_xpos, self.data.geom_xmat.reshape(2, 3, 3), strict=True)
        X_W = zip((poses.X_WA, poses.X_WB), poses.rotations, own, strict=True)
        placed = [(X[:, :3] + R @ p, (R @ turn).reshape(-1, 9)) for X, R, (p, turn) in X_W]
        self.rows = np.hstack([*(p for p, _ in placed), *(R for _, R in placed)])

    def run(self) -> None:
        self._collide(len(self.rows))

    def call(self) -> None:
        self._collide(0)

    def _collide(self, n: int) -> None:
        self.library.mujoco_collide(
            ctypes.c_void_p(self.model._address), ctypes.c_void_p(self.data._address), address(self.rows),
            ctypes.c_size_t(n), address(self.found))


def _xml(*shapes: Any) -> str:
    """Both shapes as geoms at the world's origin."""
    meshes, geoms = "", ""
    for name, shape in zip("ab", shapes, strict=True):
        if hasattr(shape, "surface"):
            vertices, loops, _ = shape.surface()
            faces = f' face="{_text(loops)}"' if shape.kind == "mesh" else ""
            meshes += f'<mesh name="{name}" vertex="{_text(vertices)}"{faces}/>'
            geoms += f'<geom type="mesh" mesh="{name}"/>'
        else:
            half = {"sphere": [1], "capsule": [1, 0.5], "box": [0.5, 0.5, 0.5]}[shape.kind]
            geoms += f'<geom type="{shape.kind}" size="{_text(np.array(shape.numbers()) * half)}"/>'
    return f"<mujoco><asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>"


def _text(numbers: NDArray[Any]) -> str:
    return " ".join(map(repr, numbers.ravel().tolist()))


# ---- FCL -----------------------------------------------------------------------------------------


class Fcl(Query):
    """fcl.collide in a Python loop over objects in their places, up to 64 contacts, less that loop over far balls."""

    name, how = "FCL", "from Python, less the call"

    def __init__(self, a: Any, b: Any, poses: Poses) -> None:
        poses = poses.first(FCL_SEES)
        super().__init__(len(poses))
        import fcl

        self.fcl = fcl
        self.request = fcl.CollisionRequest(num_max_contacts=64, enable_contact=True)
        self.objects = self._objects((self._shape(a), self._shape(b)), poses)
        ball, away = fcl.Sphere(0.01), np.array([100.0, *[0.0] * 6])
        self.far = self._objects((ball, ball), Poses(poses.X_WA, poses.X_WB + away))

    def _objects(self, shapes: tuple[Any, Any], poses: Poses) -> list[tuple[Any, Any]]:
        a, b = ([self.fcl.CollisionObject(shape, self.fcl.Transform(row[3:], row[:3])) for row in X]
                for shape, X in zip(shapes, (poses.X_WA, poses.X_WB), strict=True))
        return list(zip(a, b, strict=True))

    def _shape(self, shape: Any) -> Any:
        if not hasattr(shape, "surface"):
            return getattr(self.fcl, shape.kind.capitalize())(*shape.numbers())
        vertices, loops, counts = shape.surface()
        if shape.kind == "polyhedron":
            faces = np.insert(loops, np.cumsum(counts) - counts, counts)  # each led by how many corners it has
            return self.fcl.Convex(vertices, len(counts), faces)
        model = self.fcl.BVHModel()
        model.beginModel(len(counts), len(vertices))
        model.addSubModel(vertices, loops.reshape(-1, 3))
        model.endModel()
        return model

    def run(self) -> None:
        self._collide(self.objects, self.found)

    def call(self) -> None:
        self._collide(self.far, self.found.copy())

    def _collide(self, objects: list[tuple[Any, Any]], found: Floats) -> None:
        for row, (a, b) in zip(found, objects, strict=True):
            result = self.fcl.CollisionResult()
            row[0] = self.fcl.collide(a, b, self.request, result)
            if result.contacts:
                row[1] = max(contact.penetration_depth for contact in result.contacts)


# ---- all of them ---------------------------------------------------------------------------------


PEERS: tuple[tuple[str, Callable[[Any, Any, Poses], Query]], ...] = (("coal", Coal), ("mujoco", MuJoCo), ("fcl", Fcl))


def queries(a: Any, b: Any, poses: Poses) -> Iterator[Query | str]:
    """The pair in each peer that is installed, or why it does not run."""
    for module, make in PEERS:
        if importlib.util.find_spec(module) is None:
            yield f"{module} is not installed"
            continue
        try:
            yield make(a, b, poses)
        except (RuntimeError, OSError, StopIteration) as error:
            yield f"{module}: {error}"


def versions() -> dict[str, str]:
    """Of those that common.py does not know."""
    packages = {"coal": "coal", "python-fcl": "fcl"}
    return {package: importlib.metadata.version(package) for package, module in packages.items()
            if importlib.util.find_spec(module)}
