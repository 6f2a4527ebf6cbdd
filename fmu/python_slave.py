"""Exports a scene as an FMU that runs in Python through pythonfmu, for scenes with contact models in Python.

The Python FMU has the variables of the native FMU and computes the same bits. It needs Python with contactlib on the
machine that runs it; the native FMU of `contactlib.fmu.export.export_fmu` does not.
"""

from __future__ import annotations

import sys
import tempfile
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

from pythonfmu import Fmi2Slave, FmuBuilder
from pythonfmu.enums import Fmi2Status

from contactlib.common.files import naming
from contactlib.fmu import description
from contactlib.fmu.export import package_files, write_archive
from contactlib.fmu.package.metadata import Metadata
from contactlib.model.model import Model
from contactlib.simulation.simulation import Simulation

NAMESPACE = uuid.UUID("5b0b8a5e-2f6c-5d2a-9d53-0c9e2f6f4b1d")

# pythonfmu releases one reference too many to the script's globals per instance. spare references prevent Python from
# freeing the globals of a running script, which would crash the process
_spare_references: list[dict[str, Any]] = []

# the hash makes the module's name unique: pythonfmu finds the slave by its module, and equal names would share a module
SCRIPT = '''"""Written by contactlib: the scene is in model.bin."""

from contactlib.fmu.python_slave import Slave


class {name}(Slave):
    """{scene}"""

    script = globals()
'''


class Slave(Fmi2Slave):  # type: ignore[misc]  # pythonfmu has no types
    """The interface of a scene to pythonfmu: variables by number, the state as a dictionary.

    Value references are indexes into the model's variable table, as in the native FMU.
    """

    script: ClassVar[dict[str, Any]] = {}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _spare_references.append(self.script)
        folder = Path(self.resources)
        self.model = Model.from_bytes((folder / "model.bin").read_bytes(), modules=folder)
        self.data = Simulation(self.model).data
        self.guid = python_guid(self.model)
        self.running = False
        self.refusal: str | None = None
        self.warned: set[int] = set()

    def to_xml(self, model_options: dict[str, str] | None = None) -> Element:
        """Return the native FMU's description, because pythonfmu's own lacks units and dependencies."""
        return python_description(self.model, self.modelName, capabilities=model_options)

    def exit_initialization_mode(self) -> None:
        with self._refusing():
            self._begin()
        self.running = True

    def _begin(self) -> None:
        """Compute the outputs at the present initial values and inputs."""
        self.data.accept_starts()
        self.data.accept_inputs()
        self.data.evaluate()

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Do one communication step. If a value or the step is refused, return False and keep the state."""
        if self.refusal is None:
            with self._refusing():
                self.data.accept_inputs()
                self.data.advance(step_size)
                self._warn()
        refusal, self.refusal = self.refusal, None
        return refusal is None

    def _warn(self) -> None:
        """Log the warnings about steps, each cause once."""
        for cause, sentence in enumerate(self.data.warnings(held=True)):
            if sentence and cause not in self.warned:
                self.warned.add(cause)
                self.log(sentence, Fmi2Status.warning)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """On a ValueError, restore the state, log the message, and discard the next step.

        An exception would be fatal in pythonfmu: the process would end at the next call.
        """
        before = self.data.copy_state()
        try:
            yield
        except ValueError as error:
            self.data.roll_back(before)
            self.refusal = str(error)
            self.log(self.refusal, Fmi2Status.error)

    def get_real(self, vrs: Sequence[int]) -> list[float]:
        if not self.running:  # before the first step: compute outputs from the present inputs, if these are complete
            with suppress(ValueError):
                self._begin()
        return [self.data.get(reference) for reference in vrs]

    def get_integer(self, vrs: Sequence[int]) -> list[int]:
        return [int(self.data.get(reference)) for reference in vrs]

    def set_real(self, vrs: Sequence[int], values: Sequence[float]) -> None:
        """Set all values or none, as the native FMU does."""
        with self._refusing():
            for reference, value in zip(vrs, values, strict=True):
                self._check_tunable(reference)
                self.data.set(reference, value)

    def set_integer(self, vrs: Sequence[int], values: Sequence[int]) -> None:
        self.set_real(vrs, values)

    def _check_tunable(self, reference: int) -> None:
        variable = self.model.variables[reference]
        if self.running and variable.causality == "parameter" and not variable.tunable:
            raise ValueError(f"{variable.name} is a fixed parameter: it can be set until initialization ends")

    def _get_fmu_state(self) -> dict[str, Any]:
        """Return the whole state; pythonfmu's own function saves only variables and would lose the friction memory."""
        return {"running": self.running, "data": self.data.save().hex()}

    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        with self._refusing():
            self.data.restore(bytes.fromhex(state["data"]))
            self.running = state["running"]


def python_guid(model: Model) -> str:
    """Return the GUID of the Python FMU. It differs from the native FMU's, because masters cache FMUs by GUID.

    Examples
    --------
    >>> import contactlib
    >>> model = contactlib.load("peg_in_hole").compile()
    >>> python_guid(model) != model.guid
    True
    """
    return f"{{{uuid.uuid5(NAMESPACE, model.hash)}}}"


def python_description(model: Model, identifier: str, *, metadata: Metadata | None = None,
                       capabilities: dict[str, str] | None = None) -> Element:
    """Return the root element of the Python FMU's modelDescription.xml."""
    own = {"needsExecutionTool": "true", "canInterpolateInputs": "false", **(capabilities or {})}
    return description.model_description(
        model, identifier=identifier, guid=python_guid(model), metadata=metadata, capabilities=own
    )


def export_pythonfmu(model: Model, path: str | Path, *, metadata: Metadata | None = None) -> Path:
    """Write a model as an FMU that runs in Python and contains the modules of its contact models.

    Parameters
    ----------
    model
        The compiled scene.
    path
        The file to write; it must end in ``.fmu``.
    metadata
        Author, version, licence and description of the FMU.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If the path does not end in ``.fmu``.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> model = contactlib.load("peg_in_hole").compile()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export_pythonfmu(model, f"{folder}/peg.fmu").name
    'peg.fmu'
    """
    path = Path(path)
    if path.suffix != ".fmu":
        raise ValueError(f"path = {path}: the name of an FMU must end in .fmu")
    name = f"contactlib_{model.hash[:16]}"
    with naming(path), tempfile.TemporaryDirectory(prefix="contactlib_pythonfmu_") as scratch:
        folder = Path(scratch)
        script = folder / f"{name}.py"
        script.write_text(SCRIPT.format(name=name, scene=model.name), encoding="utf-8")
        resources = {"model.bin": model.to_bytes()}
        resources |= {f"{module}.py": source.encode() for module, source in model.modules.items()}
        (folder / "resources").mkdir()
        for file, content in resources.items():
            (folder / "resources" / file).write_bytes(content)
        project = [folder / "resources" / file for file in resources]
        with _import_state_kept():
            written = FmuBuilder.build_FMU(script, dest=folder, project_files=project)
        with zipfile.ZipFile(written) as archive:
            files = {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
    root = python_description(model, name, metadata=metadata)
    files["modelDescription.xml"] = description.to_bytes(root)
    return write_archive(path, {**files, **package_files(model, metadata=metadata)})


@contextmanager
def _import_state_kept() -> Iterator[None]:
    """Undo the builder's changes to the process: it imports the script and adds its folder to sys.path."""
    path, modules = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if name.startswith("contactlib_"):
                del sys.modules[name]
