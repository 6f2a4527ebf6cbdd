"""The FMU for FMI 3.0: the bits of the FMU for FMI 2.0, arrays, states, and a sentence for each wrong call."""

from __future__ import annotations

import ctypes
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu

from contactlib.fmu import hashes
from contactlib.fmu.description_fmi3 import merged_description
from contactlib.fmu.excitation import Excitation, excitation
from contactlib.fmu.export import export_fmu
from contactlib.fmu.info import describe_fmu
from contactlib.fmu.platforms.table import PLATFORMS
from contactlib.model.model import Model
from contactlib.model.spec import load
from tests.support.fmu_cases import DISCARD, ERROR, Floats, named, peg_model

SCENES = ("peg_in_hole", "lee_snare", "cbm", "trampoline")
STEPS = 150


class FMU3Instance(FMU3Slave):  # type: ignore[misc]  # FMPy has no types
    """An FMU for FMI 3.0 in FMPy, unpacked into a folder, its messages kept."""

    def __init__(self, fmu: Path, folder: Path) -> None:
        if not (folder / "modelDescription.xml").exists():
            fmpy.extract(str(fmu), unzipdir=str(folder))
        self.description = fmpy.read_model_description(str(folder))
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.messages: list[str] = []
        super().__init__(guid=self.description.instantiationToken, unzipDirectory=str(folder), instanceName="slave",
                         modelIdentifier=self.description.coSimulation.modelIdentifier)

    def start(self) -> FMU3Instance:
        self.instantiate(logMessage=lambda _, status, category, text: self.messages.append(text.decode()))
        self.enterInitializationMode()
        return self

    def of(self, causality: str, type_: str) -> list[Any]:
        return [v for v in self.description.modelVariables if v.causality == causality and v.type == type_]

    def get(self, *names: str) -> list[float]:
        found = [self.variables[name] for name in names]
        return list(self.getFloat64([v.valueReference for v in found], sum(size(v) for v in found)))

    def set(self, name: str, values: list[float]) -> None:
        self.setFloat64([self.variables[name].valueReference], values)

    def everything(self) -> bytes:
        state = self.getFMUState()
        try:
            return bytes(self.serializeFMUState(state))
        finally:
            self.freeFMUState(state)

    def __enter__(self) -> FMU3Instance:
        return self

    def __exit__(self, *_: object) -> None:
        if getattr(self, "component", None):
            self.freeInstance()


def size(variable: Any) -> int:
    return int(np.prod(variable.shape)) if variable.shape else 1


def run(slave: FMU3Instance, signals: Excitation, steps: range) -> bytes:
    """The outputs as the hash of a scene has them: after each step all reals, then all integers."""
    inputs, outputs = slave.of("input", "Float64"), slave.of("output", "Float64")
    counts, found = slave.of("output", "Int32"), []
    for k in steps:
        slave.setFloat64([v.valueReference for v in inputs], signals.rows[k].tolist())
        if k == 0:
            slave.exitInitializationMode()
        slave.doStep(k * signals.step, signals.step)
        reals = slave.getFloat64([v.valueReference for v in outputs], sum(size(v) for v in outputs))
        whole = slave.getInt32([v.valueReference for v in counts], sum(size(v) for v in counts))
        found += [np.array(list(reals), "<f8").tobytes(), np.array(list(whole), "<i4").tobytes()]
    return b"".join(found)


@pytest.fixture(scope="module", params=SCENES)
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path, Path]:
    """A model and its FMUs for FMI 2.0 and 3.0."""
    model, folder = load(request.param).compile(), tmp_path_factory.mktemp(request.param)
    return (model, export_fmu(model, folder / "two.fmu"), export_fmu(model, folder / "three.fmu", fmi_version="3.0"))


@pytest.fixture
def slave(tmp_path: Path) -> Iterator[FMU3Instance]:
    """Of the four pegs, in initialization mode."""
    fmu = export_fmu(peg_model(), tmp_path / "peg.fmu", fmi_version="3.0")
    with FMU3Instance(fmu, tmp_path / "peg") as slave:
        yield slave.start()


def test_same_bits_as_fmi2_state_restored_and_serialized(scene: tuple[Model, Path, Path], tmp_path: Path) -> None:
    model, _, fmu = scene
    signals = excitation(model, model.name, STEPS)
    (expected,) = hashes.run_threads(model, signals)
    half = STEPS // 2
    with FMU3Instance(fmu, tmp_path / "a") as slave, FMU3Instance(fmu, tmp_path / "a") as other:
        slave.start()
        if constants := slave.of("input", "Int32"):
            slave.setInt32([v.valueReference for v in constants], list(signals.constants))
        first = run(slave, signals, range(half))
        state, content = slave.getFMUState(), slave.everything()
        second = run(slave, signals, range(half, STEPS))
        assert first + second == expected
        assert len(set(second)) > 100  # the bodies touch: not all is zero
        slave.setFMUState(state)
        assert run(slave, signals, range(half, STEPS)) == second
        slave.freeFMUState(state)
        other.instantiate()
        other.setFMUState(other.deserializeFMUState(content))
        assert run(other, signals, range(half, STEPS)) == second


def test_fmpy_simulates_both_versions_alike(scene: tuple[Model, Path, Path]) -> None:
    """From start values in contact, without inputs: FMPy 0.3.32 cannot stack input arrays of different lengths."""
    model, *fmus = scene
    row = excitation(model, model.name, 40).rows[30]
    starts: dict[str, Any] = {}
    for reference, value in zip((i for i, v in enumerate(model.variables)
                                 if v.causality == "input" and v.type == "real"), row, strict=True):
        starts[model.variables[reference].name] = value
    arrays: dict[str, list[float]] = {}
    for name, value in starts.items():
        arrays.setdefault(name.partition("[")[0], []).append(value)
    scalars = {name: values if f"{name}[1]" in starts else values[0] for name, values in arrays.items()}
    two, three = (fmpy.simulate_fmu(str(fmu), start_values=values, stop_time=20 * model.step_size,
                                    output_interval=model.step_size)
                  for fmu, values in zip(fmus, (starts, scalars), strict=True))
    assert len(two) == len(three) == 21
    for name in three.dtype.names:
        columns = [name] if name in two.dtype.names else [f"{name}[{k + 1}]" for k in range(three[name].shape[1])]
        assert three[name].tobytes() == np.stack([two[column] for column in columns], axis=-1).tobytes(), name


def test_description_is_valid_and_has_the_variables_of_fmi2(scene: tuple[Model, Path, Path]) -> None:
    model, two, three = scene
    assert validate_fmu(str(three)) == []  # against the schema of FMI 3.0, among other checks
    old, new = (fmpy.read_model_description(str(path)) for path in (two, three))
    assert new.fmiVersion == "3.0" and new.instantiationToken == model.guid
    assert [v.valueReference for v in new.modelVariables if v.causality == "independent"] == [len(model.variables)]
    scalars = {v.name: v for v in old.modelVariables}
    for variable in new.modelVariables[:-1]:
        shape = tuple(variable.shape or ())
        names = [f"{variable.name}[{k + 1}]" for k in range(*shape)] if shape else [variable.name]
        first = scalars[names[0]]
        assert variable.valueReference == first.valueReference
        for what in ("unit", "causality", "variability", "min"):
            assert getattr(variable, what) == getattr(first, what), (variable.name, what)
        assert variable.start == (" ".join(scalars.pop(name).start for name in names) if first.start is not None
                                  else [scalars.pop(name) for name in names] and None)
    assert not scalars


def test_every_variable_has_its_length_in_the_binary(scene: tuple[Model, Path, Path], tmp_path: Path) -> None:
    """The rule for arrays stands twice, in Python and in C++."""
    with FMU3Instance(scene[2], tmp_path / "a") as slave:
        slave.start()
        for variable in slave.description.modelVariables:
            getter = getattr(slave, f"get{variable.type}")
            assert len(list(getter([variable.valueReference], size(variable)))) == size(variable)


def test_descriptions_are_merged() -> None:
    assert merged_description([f"position {axis} of a" for axis in "xyz"]) == "position [x; y; z] of a"
    assert merged_description(["winch 1", "winch 2"]) == "winch [1; 2]"
    assert merged_description(["a a", "a a a"]) == "a a [; a]"
    assert merged_description(["alone"]) == "alone"


def test_arrays_units_and_dependencies(tmp_path: Path) -> None:
    description = fmpy.read_model_description(str(export_fmu(peg_model(), tmp_path / "a.fmu", fmi_version="3.0")))
    variables = {v.name: v for v in description.modelVariables}
    found = {name: (tuple(variables[f"interface.{name}"].shape), variables[f"interface.{name}"].unit)
             for name in "rqvwft"}
    assert found == {"r": ((3,), "m"), "q": ((4,), "1"), "v": ((3,), "m/s"), "w": ((3,), "rad/s"), "f": ((3,), "N"),
                     "t": ((3,), "N.m")}
    assert variables["interface.q"].start == "1.0 0.0 0.0 0.0"
    assert variables["contact.count"].type == "Int32" and variables["step_size"].variability == "tunable"
    assert all(not unknown.dependencies for unknown in description.outputs)
    assert len(description.outputs) == sum(v.causality == "output" for v in description.modelVariables)


def test_info_shows_both_versions_alike(scene: tuple[Model, Path, Path]) -> None:
    two, three = (describe_fmu(path) for path in scene[1:])
    assert three.guid == two.guid and two.inputs
    for causality in ("inputs", "outputs", "parameters"):
        groups = [{(v.name, v.count, v.unit) for v in getattr(info, causality)} for info in (two, three)]
        assert groups[0] == groups[1]


def test_binaries_lie_in_the_folders_of_fmi3(tmp_path: Path) -> None:
    fmu = export_fmu(peg_model(), tmp_path / "a.fmu", platforms=["linux64"], fmi_version="3.0")
    identifier = fmpy.read_model_description(str(fmu)).coSimulation.modelIdentifier
    with zipfile.ZipFile(fmu) as archive:
        assert [name for name in archive.namelist() if name.startswith("binaries")] == [
            f"binaries/x86_64-linux/{identifier}.so"]
    assert {folder for row in PLATFORMS.values() for folder in row.tuples} == {
        "x86_64-linux", "aarch64-linux", "x86_64-windows", "x86_64-darwin", "aarch64-darwin"}


def test_flat_names_and_the_same_bytes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    files = [export_fmu(peg_model(), tmp_path / f"{i}.fmu", flat_names=True, fmi_version="3.0") for i in range(2)]
    assert files[0].read_bytes() == files[1].read_bytes()
    names = {v.name for v in fmpy.read_model_description(str(files[0])).modelVariables}
    assert {"interface_r", "contact_max_depth", "time"} <= names and validate_fmu(str(files[0])) == []


def test_unknown_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"fmi_version = '3': must be one of 2\.0, 3\.0"):
        export_fmu(peg_model(), tmp_path / "a.fmu", fmi_version="3")
    assert not (tmp_path / "a.fmu").exists()


def refused(slave: FMU3Instance, status: int, sentence: str, call: Any, *arguments: Any) -> None:
    """The call returns this status, says why, and changes nothing."""
    before = slave.everything()
    with pytest.raises(FMICallException) as caught:
        call(*arguments)
    assert caught.value.status == status and sentence in slave.messages[-1]
    assert slave.everything() == before


def test_wrong_calls_are_refused_with_sentences(slave: FMU3Instance) -> None:
    r, count = (slave.variables[name].valueReference for name in ("interface.r", "contact.count"))
    (frame,) = named(peg_model(), "resolve_in")
    for status, sentence, call, *arguments in [
        (ERROR, "have 3 values together, not 2", slave.getFloat64, [r], 2),
        (ERROR, '"interface.r[2]" (value reference 1) is an element of an array', slave.getFloat64, [r + 1], 1),
        (ERROR, "no such variable with value reference 99999", slave.getFloat64, [99999], 1),
        (ERROR, "is got and set as Int32, not as Float64", slave.getFloat64, [count], 1),
        (ERROR, "is got and set as Float64, not as Int32", slave.getInt32, [r], 3),
        (ERROR, "is an output and cannot be set", slave.setInt32, [count], [1]),
        (ERROR, "the time cannot be set", slave.setFloat64, [slave.variables["time"].valueReference], [1.0]),
        (ERROR, "this FMU has no such variables", slave.getUInt8, [r], 3),
        (DISCARD, "it must be finite", slave.setFloat64, [r], [1.0, 2.0, float("nan")]),
        (ERROR, "fmi3DoStep is not allowed in initialization mode", slave.doStep, 0.0, 1e-3),
        (ERROR, "fmi3EnterEventMode: this is not available", slave.enterEventMode),
        (ERROR, "fmi3SetFMUState: this is not a state", slave.setFMUState, ctypes.c_void_p(8)),
        (ERROR, "fmi3DeserializeFMUState: these bytes are not", slave.deserializeFMUState, bytes(100)),
    ]:
        refused(slave, status, sentence, call, *arguments)
    setter = slave.setInt32
    refused(slave, DISCARD, "resolve_in", setter, [frame], [7])
    slave.exitInitializationMode()
    refused(slave, ERROR, "is a fixed parameter", setter, [frame], [2])
    refused(slave, ERROR, "the step positive", slave.doStep, 0.0, -1e-3)


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"eventModeUsed": True}, "This FMU has no event mode."),
    ({"guid": "{wrong}"}, "The GUID is {wrong}"),
])
def test_refused_instances(slave: FMU3Instance, arguments: dict[str, Any], sentence: str) -> None:
    told: list[str] = []
    slave.guid = arguments.pop("guid", slave.guid)
    with pytest.raises(Exception, match="Failed to instantiate"):
        FMU3Slave.instantiate(slave, logMessage=lambda _, status, category, text: told.append(text.decode()),
                              **arguments)
    assert sentence in told[0]
    slave.component = None


def test_other_interfaces_give_no_instance(slave: FMU3Instance) -> None:
    for interface, *more in (("ModelExchange",), ("ScheduledExecution", None, None, None)):
        told: list[str] = []
        library = slave.dll[f"fmi3Instantiate{interface}"]
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
        log = kind(lambda _, status, category, text, told=told: told.append(text.decode()))
        library.restype = ctypes.c_void_p
        assert library(b"a", b"b", b"c", False, False, None, log, *more) is None
        assert "is not available" in told[0]


def test_null_instances_are_refused(slave: FMU3Instance) -> None:
    for name in ("DoStep", "Terminate", "Reset", "EnterInitializationMode", "GetFloat64", "EnterStepMode"):
        function = slave.dll[f"fmi3{name}"]
        function.argtypes = None
        assert function(None, None, None, None, None, None, None, None) == ERROR
    slave.dll["fmi3FreeInstance"](None)


def test_time_and_reset(slave: FMU3Instance) -> None:
    assert slave.get("time") == [0.0]
    slave.exitInitializationMode()
    assert slave.doStep(0.0, 0.25) == (False, False, False, 0.25)
    assert slave.get("time") == [0.25]
    slave.reset()
    slave.enterInitializationMode(startTime=3.0)
    assert slave.get("time", "interface.q") == [3.0, 1.0, 0.0, 0.0, 0.0]


def test_outputs_follow_the_inputs_during_initialization(slave: FMU3Instance) -> None:
    force: list[Floats] = []
    for height in (0.05, -0.01):
        slave.set("interface.r", [0.0, 0.0, height])
        force.append(np.array(slave.get("interface.f", "contact.max_depth")))
    assert not force[0].any() and force[1].any()
