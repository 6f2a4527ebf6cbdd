"""Campaigns on Dask: worker processes are killed in mid-run, and the results are those of one thread here."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys

import pytest

from contactlib.campaign import pools, resume_campaign, run_campaign
from contactlib.campaign.store import Store
from tests.campaign.campaign_cases import wheel

distributed = pytest.importorskip("distributed")
HEAD = {"runs": 120, "duration": 0.5}


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes, each watched by a nanny that starts it again."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serial") / "wheel"
    run_campaign(wheel(**HEAD), folder, num_threads=1)
    return (folder / "results.parquet").read_bytes()


class Killer:
    """Kills a worker process whenever a third of the runs has come in."""

    def __init__(self, address: str, kills: int) -> None:
        self.address, self.left, self.killed, self.seen = address, kills, [], []

    def __call__(self, done: int, runs: int) -> None:
        self.seen.append(done)
        if self.left and done >= runs * (len(self.killed) + 1) // 4:
            with distributed.Client(self.address, set_as_default=False) as client:
                pids = client.run(os.getpid)
            self.killed.append(next(iter(pids.values())))
            os.kill(self.killed[-1], signal.SIGKILL)
            self.left -= 1


def test_killed_workers_lose_nothing(cluster, serial, tmp_path, monkeypatch):
    monkeypatch.setattr("contactlib.campaign.execute.PART_SECONDS", 0.02)  # many parts, of which some are killed
    killer = Killer(cluster.scheduler_address, kills=2)
    results = run_campaign(wheel(**HEAD), tmp_path / "wheel", scheduler=cluster.scheduler_address, progress=killer)
    assert len(set(killer.killed)) == 2 and killer.seen == sorted(killer.seen) and killer.seen[-1] == 120
    assert set(results.errors) == {None} and results.run.tolist() == list(range(120))
    assert (tmp_path / "wheel" / "results.parquet").read_bytes() == serial


def test_what_threads_began_dask_ends(cluster, serial, tmp_path):
    store = Store.create(tmp_path / "wheel", wheel(**HEAD))

    class EnoughError(Exception):
        pass

    def enough(done: int, runs: int) -> None:
        if done > 20:
            raise EnoughError

    with pytest.raises(EnoughError):
        resume_campaign(tmp_path / "wheel", num_threads=2, progress=enough)
    assert 20 < store.done().sum() < 120
    resume_campaign(tmp_path / "wheel", scheduler=cluster.scheduler_address)
    assert (tmp_path / "wheel" / "results.parquet").read_bytes() == serial


def test_a_scheduler_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "TIMEOUT", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        for wrong in (address, "nonsense://x"):
            with pytest.raises(ValueError, match="no Dask scheduler answers at"):
                run_campaign(wheel(), tmp_path / "wheel", scheduler=wrong)
    assert not (tmp_path / "wheel").exists()  # nothing was begun
    # nothing is left that would close itself later, while another client begins: both would wait for ever
    assert not [it for it in gc.get_objects() if type(it) is distributed.Client and it.status != "closed"]


def test_a_scheduler_without_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "TIMEOUT", 1)
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty, pytest.raises(
            ValueError, match="has no worker: start one with `dask worker tcp:"):
        run_campaign(wheel(), tmp_path / "wheel", scheduler=empty.scheduler_address)


@pytest.mark.parametrize(("module", "arguments"), [("distributed", {"scheduler": "tcp://x"}), ("pyarrow", {})])
def test_missing_packages(tmp_path, monkeypatch, module, arguments):
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install contactlib\[campaign\]"):
        run_campaign(wheel(), tmp_path / "wheel", **arguments)
