import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from contactlib.fmu.export import export_fmu
from contactlib.model.model import Model
from fmu_cases import H, Slave, named, peg_model, rattling, run_fmu
from sanitized import SanitizedCore


def pytest_addoption(parser):
    parser.addoption("--poses", type=int, default=1000,
                     help="random poses per contact region against the oracle; `make soak` takes 100000")


@pytest.fixture(scope="session")
def poses_per_region(request):
    return request.config.getoption("--poses")


@pytest.fixture(scope="session")
def sanitized_core(tmp_path_factory: pytest.TempPathFactory) -> SanitizedCore:
    """Built once for all programs that are linked with it, by one of the processes that tests are shared out to."""
    own = tmp_path_factory.mktemp("sanitized")
    return SanitizedCore(own, own.parents[1] / "sanitized" if "PYTEST_XDIST_WORKER" in os.environ else own)


# the scene of the FMU tests, its FMU, and one instance of it


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
