"""The scene of the tests, and its FMU."""

from pathlib import Path

import pytest

from contactlib.fmu.export import export_fmu
from contactlib.model.model import Model
from tests.support.fmu_cases import peg_model


@pytest.fixture(scope="module")
def model() -> Model:
    return peg_model()


@pytest.fixture(scope="module")
def fmu(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_fmu(model, tmp_path_factory.mktemp("fmu") / "peg.fmu")
