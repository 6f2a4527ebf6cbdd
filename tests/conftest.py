import pytest


def pytest_addoption(parser):
    parser.addoption("--poses", type=int, default=3000,
                     help="random poses per contact region against the oracle; `make soak` takes 100000")


@pytest.fixture(scope="session")
def poses_per_region(request):
    return request.config.getoption("--poses")
