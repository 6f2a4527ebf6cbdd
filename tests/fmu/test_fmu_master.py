"""The native FMU under libcosim, a master that shares no code with FMPy and steps on threads of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from contactlib.fmu.export import export_fmu
from contactlib.simulation.simulation import Simulation
from tests.support.fmu_cases import named, of, peg_model, rattling

pytest.importorskip("libcosimpy", reason="libcosimpy is not installed")

H = 2.0**-8  # an integer number of nanoseconds, in which libcosim counts, and exact
STEPS = 20


def test_two_instances_under_libcosim_give_the_bits_of_the_python_module(tmp_path: Path) -> None:
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimManipulator import CosimManipulator
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    model = peg_model()
    fmu = export_fmu(model, tmp_path / "pegs.fmu")
    inputs, outputs = of(model, "input"), of(model, "output")
    row = rattling(model, 30, H)[25]
    execution = CosimExecution.from_step_size(step_size=int(H * 1e9))
    moved = execution.add_local_slave(CosimLocalSlave(fmu_path=str(fmu), instance_name="moved"))
    still = execution.add_local_slave(CosimLocalSlave(fmu_path=str(fmu), instance_name="still"))
    manipulator, observer = CosimManipulator.create_override(), CosimObserver.create_last_value()
    execution.add_manipulator(manipulator)
    execution.add_observer(observer)
    manipulator.slave_real_values(slave_index=moved, variable_references=inputs, values=row.tolist())
    for _ in range(STEPS):
        execution.step()
    data = Simulation(model).data  # as libcosim does it: initialized apart, then moved by the override
    for reference, value in zip(inputs, row, strict=True):
        data.set(reference, value)
    for _ in range(STEPS):
        data.accept_inputs()
        data.advance(H)
    expected = np.array([data.get(reference) for reference in outputs])
    result = observer.last_real_values(slave_index=moved, variable_references=outputs)
    assert np.abs(expected).max() > 1.0
    assert np.array(result).tobytes() == expected.tobytes()
    wrenches = named(model, "interface.f", "interface.t", "target.f", "target.t")
    assert not any(observer.last_real_values(slave_index=still, variable_references=wrenches))
