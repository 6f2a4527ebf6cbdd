"""The hash of a scene: SHA-256 of all outputs of its FMU over 1000 steps. docs/platforms.md defines the bytes."""

from __future__ import annotations

import ctypes
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from contactlib.common.files import write_bytes
from contactlib.fmu.excitation import Excitation, excitation
from contactlib.fmu.export import export_fmu
from contactlib.fmu.package.identifier import model_identifier
from contactlib.model.spec import SCENES, load

if TYPE_CHECKING:
    from contactlib.model.model import Model

#: the table of the repository: name, first digits of the model's hash, hash of the outputs
TABLE = SCENES / "hashes.txt"
DIGITS = 12
#: FMPy changes the working folder of the process while it loads a library
LOADING = Lock()


@dataclass(frozen=True)
class SceneHash:
    """A row of the table; ``str()`` returns the row as the table has it."""

    scene: str
    #: first digits of the model's hash, as `contactlib show` prints them
    model: str
    #: SHA-256 of the outputs
    outputs: str

    def __str__(self) -> str:
        return f"{self.scene:<18} {self.model} {self.outputs}"


def shipped_scenes() -> list[str]:
    """Return the names of the scenes that ship, sorted."""
    return sorted(path.parent.name for path in SCENES.glob("*/scene.toml"))


def recorded(table: Path | None = None) -> dict[str, SceneHash]:
    """Return the rows of a table by scene, by default of `TABLE`; ValueError if a line has not three words."""
    rows, table = {}, table or TABLE
    for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split()
        if len(words) != 3:
            raise ValueError(f"{table}: line {number} has {len(words)} words: must be SCENE MODEL OUTPUTS")
        rows[words[0]] = SceneHash(*words)
    return rows


def scene_hash(scene: str, *, threads: int = 1, out: Path | None = None, trust: bool = False) -> SceneHash:
    """Run a scene through its FMU and return the hash of its outputs.

    Parameters
    ----------
    scene
        A scene.toml, its folder, or the name of a shipped scene.
    threads
        The number of instances of the FMU that run at a time, each in a thread of its own.
    out
        A folder that receives ``model.bin``, ``inputs.bin`` and ``outputs.bin``, for hosts in other languages.
    trust
        Run the Python modules of the scene; the FMU of such a scene still refuses them.

    Raises
    ------
    ValueError
        If the scene is not valid.
    RuntimeError
        If the FMU refuses a value or a step, or if two threads have different outputs.

    Examples
    --------
    >>> found = scene_hash("tripod")
    >>> len(found.model), len(found.outputs)
    (12, 64)
    """
    model = load(scene, trust=trust).compile()
    signals = excitation(model, model.name)
    outputs = run_threads(model, signals, threads)
    if any(other != outputs[0] for other in outputs):
        raise RuntimeError(f"scene '{model.name}': {threads} threads have different outputs; report this as an error")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_bytes(out / "model.bin", model.to_bytes())
        write_bytes(out / "inputs.bin", signals.to_bytes())
        write_bytes(out / "outputs.bin", outputs[0])
    return SceneHash(model.name, model.hash[:DIGITS], hashlib.sha256(outputs[0]).hexdigest())


def difference(found: SceneHash, rows: dict[str, SceneHash]) -> str:
    """Return how a hash differs from the table, as a sentence; empty if it does not."""
    known = rows.get(found.scene)
    if known is None:
        return f"{found.scene}: the table has no such scene; it has {', '.join(rows)}"
    if known.model != found.model:
        return f"{found.scene}: the compiled model is {found.model}, not {known.model}: the scene or the compiler of "\
               f"scenes has changed"
    if known.outputs != found.outputs:
        return f"{found.scene}: the outputs are {found.outputs[:DIGITS]}, not {known.outputs[:DIGITS]}"
    return ""


def run_threads(model: Model, signals: Excitation, threads: int = 1) -> list[bytes]:
    """Return the outputs of each of some instances of a model's FMU, which run at a time."""
    import fmpy

    with tempfile.TemporaryDirectory(prefix="contactlib_hash_") as folder:
        archive = export_fmu(model, Path(folder) / f"{model.name}.fmu")
        unpacked = fmpy.extract(str(archive), unzipdir=str(Path(folder) / "unpacked"))
        with ThreadPoolExecutor(threads) as pool:
            runs = [pool.submit(_run, model, unpacked, signals) for _ in range(threads)]
            return [run.result() for run in runs]


def _run(model: Model, unpacked: str, signals: Excitation) -> bytes:
    """All outputs as bytes: after each step the reals as little-endian doubles, then the integers as 32 bits."""
    inputs, whole = _Block(signals.reals, "<f8"), _Block(signals.integers, "<i4")
    outputs, counts = _Block(signals.real_outputs, "<f8"), _Block(signals.integer_outputs, "<i4")
    found = []
    whole.values[:] = signals.constants
    with _instance(model, unpacked) as call:
        call("SetInteger", *whole)
        for k, row in enumerate(signals.rows):
            inputs.values[:] = row
            call("SetReal", *inputs)
            if k == 0:
                call("ExitInitializationMode")
            call("DoStep", k * signals.step, signals.step, 1)
            for kind, block in (("GetReal", outputs), ("GetInteger", counts)):
                call(kind, *block)
                found.append(block.values.tobytes())
    return b"".join(found)


class _Block:
    """Value references and values of variables of one type; unpacks to the last arguments of a get or set function."""

    def __init__(self, references: tuple[int, ...], kind: str) -> None:
        self.values = np.zeros(len(references), kind)
        self._references = (ctypes.c_uint * len(references))(*references)

    def __iter__(self) -> Iterator[Any]:
        value = ctypes.c_double if self.values.itemsize == 8 else ctypes.c_int
        return iter((self._references, len(self.values), self.values.ctypes.data_as(ctypes.POINTER(value))))


@contextmanager
def _instance(model: Model, unpacked: str) -> Iterator[Callable[..., None]]:
    """An instance in initialization mode, as a function that calls one of FMI's functions on it by name."""
    from fmpy.fmi2 import FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE

    messages = ["it gives no reason"]
    callbacks = fmi2CallbackFunctions()
    callbacks.logger = fmi2CallbackLoggerTYPE(lambda *given: messages.append(given[4].decode().replace("%%", "%")))
    with LOADING:
        slave = FMU2Slave(
            guid=model.guid,
            unzipDirectory=unpacked,
            instanceName=model.name,
            modelIdentifier=model_identifier(model.name),
        )

    def call(name: str, *arguments: Any) -> None:
        try:
            getattr(slave, f"fmi2{name}")(slave.component, *arguments)
        except Exception as error:  # fmpy raises its own class, and the exceptions of ctypes
            raise RuntimeError(f"the FMU of scene '{model.name}' fails: {messages[-1]} ({error})") from None

    slave.instantiate(callbacks=callbacks)
    try:
        call("SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
        call("EnterInitializationMode")
        yield call
        call("Terminate")
    finally:
        slave.freeInstance()
