import os

import pytest

from tests.support.sanitized import SanitizedCore


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
