"""One scene, three ways to run it, the same bits: the Python module, the native FMU, the FMU in Python."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

from contactlib.fmu.export import export_fmu
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.model.model import Model
from contactlib.simulation.simulation import Simulation
from tests.support.fmu_cases import Floats, Slave, named, of, peg_model, peg_scene, rattling, run_fmu, run_python

STEPS = 200
H = 4.3e-3  # not a multiple of the core's step: five sub-steps


def rough(model: Model, results: Floats) -> None:
    """The inputs did what they are for: pins in contact and apart, sticking and slipping."""
    outputs = of(model, "output")
    depth = results[:, outputs.index(named(model, "contact.max_depth")[0])]
    heat = results[:, outputs.index(named(model, "contact.energy_dissipated")[0])]
    assert 0.2 < np.mean(depth > 0) <= 1.0
    assert heat[-1] > 0.0
    data = Simulation(model).data
    slipping = set()
    for row in rattling(model, STEPS, H):
        for reference, value in zip(of(model, "input"), row, strict=True):
            data.set(reference, value)
        data.accept_inputs()
        data.advance(H)
        slipping |= set(data.contacts()["slipping"].tolist())
    assert slipping == {0, 1}


@pytest.mark.parametrize(
    "changes", [{}, {"wrench_output": "mean"}, {"resolve_in": "body", "step_size": 7e-4}]
)
def test_native_fmu_gives_the_bits_of_the_python_module(tmp_path: Path, changes: dict[str, Any]) -> None:
    model = peg_model(**changes)
    rows = rattling(model, STEPS, H)
    expected = run_python(model, rows, H)
    rough(model, expected)
    with Slave(export_fmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
        assert run_fmu(slave.start(), rows, H).tobytes() == expected.tobytes()


def test_input_derivatives_give_the_bits_of_the_python_module(tmp_path: Path) -> None:
    model = peg_model()
    rows = rattling(model, 60, H)
    velocities = named(model, "interface.v", "interface.w", "target.v", "target.w")
    rates = dict(zip(velocities, np.random.default_rng(2).normal(size=12).tolist(), strict=True))
    expected = run_python(model, rows, H, rates)
    results = []
    with Slave(export_fmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
        slave.start()
        for k, row in enumerate(rows):
            slave.setReal(of(model, "input"), row)
            slave.setRealInputDerivatives(list(rates), [1] * 12, list(rates.values()))
            if k == 0:
                slave.exitInitializationMode()
                results.append(slave.getReal(of(model, "output")))
            slave.doStep(k * H, H)
            results.append(slave.getReal(of(model, "output")))
    assert np.array(results).tobytes() == expected.tobytes()
    assert expected.tobytes() != run_python(model, rows, H).tobytes()


def test_free_bodies_give_the_bits_of_the_python_module(tmp_path: Path) -> None:
    """The interface floats, moved by the core; only the target's state is an input."""
    model = peg_scene().with_motion("free", "interface").compile()
    inputs, outputs = of(model, "input"), of(model, "output")
    start = np.array([model.variables[i].start for i in inputs])
    rows = np.tile(start, (STEPS, 1))
    rows[:, 9] = 0.5  # the target comes up at 0.5 m/s, and meets the pins
    rows[:, 2] += 0.5 * H * np.arange(STEPS)
    data = Simulation(model).data
    with Slave(export_fmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
        slave.start().exitInitializationMode()
        for k, row in enumerate(rows):
            for reference, value in zip(inputs, row, strict=True):
                data.set(reference, value)
            data.accept_inputs()
            data.advance(H)
            slave.setReal(inputs, row)
            slave.doStep(k * H, H)
            assert (
                np.array(slave.getReal(outputs)).tobytes()
                == np.array([data.get(i) for i in outputs]).tobytes()
            )
    speed = data.get(named(model, "interface.v[3]")[0])
    assert speed > 0.1  # pushed by the target


class TestPythonFmu:
    """The FMU that runs in Python, through pythonfmu."""

    def test_is_valid_and_takes_the_same_variables(self, tmp_path: Path) -> None:
        from fmpy import read_model_description

        model = peg_model()
        native, python = export_fmu(model, tmp_path / "a.fmu"), export_pythonfmu(model, tmp_path / "b.fmu")
        assert validate_fmu(str(python)) == []
        descriptions = [read_model_description(str(path)) for path in (native, python)]
        tables = [
            [
                (v.name, v.valueReference, v.causality, v.variability, v.type, v.unit, v.start)
                for v in d.modelVariables
            ]
            for d in descriptions
        ]
        assert tables[0] == tables[1]
        assert descriptions[0].guid != descriptions[1].guid  # masters cache by GUID

    def test_gives_the_bits_of_the_python_module(self, tmp_path: Path) -> None:
        model = peg_model()
        rows = rattling(model, STEPS, H)
        with Slave(export_pythonfmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
            assert run_fmu(slave.start(), rows, H).tobytes() == run_python(model, rows, H).tobytes()

    def test_outputs_follow_the_inputs_during_initialization(self, tmp_path: Path) -> None:
        model = peg_model()
        row = rattling(model, 30, H)[25]
        with Slave(export_pythonfmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
            slave.start().setReal(of(model, "input"), row)
            early = slave.getReal(of(model, "output"))
            slave.exitInitializationMode()
            assert any(early) and slave.getReal(of(model, "output")) == early

    def test_two_scenes_in_one_process_keep_apart(self, tmp_path: Path) -> None:
        models = [peg_model(), peg_model(wrench_output="mean")]
        rows = rattling(models[0], 40, H)
        slaves = [
            Slave(export_pythonfmu(model, tmp_path / f"{i}.fmu"), tmp_path / f"{i}", model).start()
            for i, model in enumerate(models)
        ]
        for slave, model in zip(slaves, models, strict=True):
            assert run_fmu(slave, rows, H).tobytes() == run_python(model, rows, H).tobytes()
        for slave in slaves:
            slave.freeInstance()

    def test_many_instances_come_and_go(self, tmp_path: Path) -> None:
        """pythonfmu's library counts the references to the script's names down, once an instance."""
        model = peg_model()
        fmu = export_pythonfmu(model, tmp_path / "peg.fmu")
        rows = rattling(model, 5, H)
        expected = run_python(model, rows, H)
        for _ in range(20):
            with Slave(fmu, tmp_path / "peg", model) as slave:
                assert run_fmu(slave.start(), rows, H).tobytes() == expected.tobytes()
        module = sys.modules[f"contactlib_{model.hash[:16]}"]
        assert module.__name__ in vars(module)

    def test_a_step_rolled_back_repeats_to_the_bit(self, tmp_path: Path) -> None:
        model = peg_model()
        rows = rattling(model, 60, H)
        with Slave(export_pythonfmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
            run_fmu(slave.start(), rows[:30], H)
            state = slave.getFMUstate()
            content = slave.everything()
            first = run_fmu(slave, rows[30:], H, start=30)
            slave.setFMUstate(state)
            assert run_fmu(slave, rows[30:], H, start=30).tobytes() == first.tobytes()
            slave.take(content)
            assert run_fmu(slave, rows[30:], H, start=30).tobytes() == first.tobytes()

    def test_bad_inputs_discard_the_step_and_change_nothing(self, tmp_path: Path) -> None:
        model = peg_model()
        rows = rattling(model, 30, H)
        attitude = named(model, "interface.q")
        with Slave(export_pythonfmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
            run_fmu(slave.start(logging=True), rows, H)

            def step_is_discarded() -> None:
                with pytest.raises(FMICallException) as caught:
                    slave.doStep(30 * H, H)
                assert caught.value.status == 2

            before, good = slave.everything(), slave.getReal(attitude)
            slave.setReal(attitude, [1.0, 0.0, 0.0, math.nan])
            assert slave.everything() == before and "interface.q[4]" in slave.last()
            step_is_discarded()
            slave.setInteger(named(model, "resolve_in"), [2])
            assert slave.everything() == before and "fixed parameter" in slave.last()
            step_is_discarded()
            slave.setReal(attitude, [2.0, 0.0, 0.0, 0.0])
            wrong = slave.everything()
            step_is_discarded()
            assert slave.everything() == wrong and "quaternion" in slave.last()
            slave.setReal(attitude, good)
            slave.doStep(30 * H, H)

    def test_path_must_be_an_fmu(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=r"must end in \.fmu"):
            export_pythonfmu(peg_model(), tmp_path / "peg.zip")
