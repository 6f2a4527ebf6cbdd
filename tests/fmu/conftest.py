"""The scene of the FMU tests, its FMU, and one instance of it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from contactlib.fmu.export import export_fmu
from contactlib.model.model import Model
from tests.support.fmu_cases import H, Slave, named, peg_model, rattling, run_fmu
from tests.support.platforms import Binaries


@pytest.fixture(scope="module")
def model() -> Model:
    return peg_model()


@pytest.fixture(scope="module")
def fmu(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_fmu(model, tmp_path_factory.mktemp("fmu") / "peg.fmu")


@pytest.fixture
def slave(fmu: Path, model: Model) -> Iterator[Slave]:
    """In initialization mode."""
    with Slave(fmu, fmu.with_suffix(""), model) as slave:
        yield slave.start()


@pytest.fixture
def touching(slave: Slave, model: Model) -> Slave:
    """After 40 steps of rattling, with pins that stick and pins that slip."""
    run_fmu(slave, rattling(model, 40, H), H)
    assert slave.getInteger(named(model, "contact.count"))[0] >= 2
    return slave


@pytest.fixture(scope="session")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Binaries:
    """Built on demand by one of the processes that tests are shared out to."""
    own = tmp_path_factory.mktemp("binaries")
    return Binaries(own.parents[1] / "binaries" if "PYTEST_XDIST_WORKER" in os.environ else own)


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the hosts of the platforms and for wine's own files."""
    return tmp_path_factory.mktemp("emulator")
