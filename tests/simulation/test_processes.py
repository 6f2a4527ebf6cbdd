"""Threads, processes, copies and limits: one Simulation in several threads, forks, pickles, too little memory."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import contactlib
from contactlib._core.engine import OPENMP
from tests.support.every_element import SPECS, running

POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork and there are no limits of processes here")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits of threads and of memory are those of Linux")


@pytest.fixture(scope="module")
def pegs():
    return contactlib.load("peg_in_hole").compile()


def crowd():
    """Return a scene whose step has enough candidates to use threads."""
    ball = {"kind": "sphere", "radius": 0.05, "material": "a"}
    balls = [{"name": f"b{i}_{j}", **ball, "r": [0.2 * i, 0.2 * j, 0.0]} for i in range(20) for j in range(20)]
    heap = {"name": "heap", "motion": "free", "mass": 1e4, "inertia": [1e5, 1e5, 1e5], "shape": balls,
            "state": {"r": [0.0, 0.0, 0.049]}}
    tiles = [{"name": f"t{i}", "kind": "box", "material": "b", "size": [8.0, 8.0, 0.2], "r": [0, 0, -0.1 - 0.001 * i]}
             for i in range(3)]
    law = {"name": "law", "materials": ["a", "b"], "normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 1.0}}
    return contactlib.Spec.from_dict({
        "scene": {"name": "crowd", "step_size": 1e-3, "gravity": [0, 0, -9.81], "max_contacts": 4000},
        "body": [heap, {"name": "ground", "motion": "fixed", "shape": tiles}], "law": [law],
        "pair": [{"bodies": ["heap", "ground"]}]}).compile()


# ---- threads ---------------------------------------------------------------------------------------


def in_threads(count, do):
    """What each thread's calls raised."""
    errors = []

    def go():
        for _ in range(300):
            try:
                do()
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=go) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.mark.parametrize("act", ["step", "run", "compute"])
def test_one_simulation_in_threads(act):
    """Every step is done or refused: time is what the steps that were done say."""
    simulation = contactlib.Simulation(contactlib.load("hexapod").compile())
    turn = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    calls = {"step": lambda: simulation.step(1e-3), "run": lambda: simulation.run(2e-3, 1e-3),
             "compute": lambda: simulation.compute({"body": simulation.states[0]})}
    calls["compute"] = lambda: simulation.compute()
    errors, rounds = [], 0
    try:
        # on a busy machine the threads of one round may never have met
        while rounds < 20 and (rounds == 0 or (act != "compute" and not errors)):
            errors += in_threads(4, calls[act])
            rounds += 1
    finally:
        sys.setswitchinterval(turn)
    done = {"step": 1, "run": 2, "compute": 0}[act] * (1200 * rounds - len(errors))
    assert simulation.time == pytest.approx(1e-3 * done, abs=1e-9 * rounds)
    assert errors or act == "compute"
    assert all("another thread is using this Simulation" in error for error in errors)


class Held:
    """A simulation that a thread is in, until the block ends."""

    def __init__(self, simulation):
        self.simulation, self.inside, self.over = simulation, threading.Event(), threading.Event()

    def hold(self):
        def wait(_t):
            self.inside.set()
            self.over.wait()
            return {}

        self.simulation.run(1e-3, 1e-3, inputs=wait)

    def __enter__(self):
        self.thread = threading.Thread(target=self.hold)
        self.thread.start()
        self.inside.wait()
        return self.simulation

    def __exit__(self, *error):
        self.over.set()
        self.thread.join()


def test_every_call_is_refused_at_once(pegs):
    """Calls fail while another thread uses the simulation; reading fails too, because a state may be half written."""
    simulation = contactlib.Simulation(SPECS["cables"]().compile())
    saved = simulation.save()
    names = [v.name for v in simulation.model.variables]
    calls = [
        lambda s: s.step(1e-3), lambda s: s.compute(), lambda s: s.run(1e-3, 1e-3), lambda s: s.reset(),
        lambda s: s.save(), lambda s: s.restore(saved), lambda s: s.apply("b", (0, 0, 1)), lambda s: s.states,
        lambda s: s.wrenches, lambda s: s.contacts, lambda s: s.time, lambda s: s.result, lambda s: s.energy_stored,
        lambda s: s.energy_dissipated, lambda s: s.elements["ropes"].tension, lambda s: s.cable_nodes("ropes"),
        lambda s: s.elements["ropes"].set(friction=0.1), lambda s: s.data.set(names.index("ropes.friction"), 0.1),
        pickle.dumps, copy.copy, copy.deepcopy,
    ]
    with Held(simulation) as held:
        for call in calls:
            begin = time.perf_counter()
            with pytest.raises(RuntimeError, match="another thread is using this Simulation: give each thread"):
                call(held)
            assert time.perf_counter() - begin < 1.0
    for call in calls:
        call(simulation)  # after the other thread's call, no call is refused


def test_an_error_leaves_the_simulation_free(pegs):
    simulation = contactlib.Simulation(pegs)
    for call in (lambda: simulation.step(-1.0), lambda: simulation.compute({"nobody": {}}),
                 lambda: simulation.run(1.0, 0.1, inputs=lambda _t: 1 / 0)):
        with pytest.raises((ValueError, ZeroDivisionError)):
            call()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(simulation.step, 1e-3).result()


def test_simulations_of_their_own_in_threads():
    """They share the model, and give the bits of one after the other."""
    model = contactlib.load("hexapod").compile()

    def end(_):
        simulation = contactlib.Simulation(model)
        simulation.run(0.02, 1e-3)
        return simulation.save()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(end, range(8))) == {end(0)}


# ---- processes -------------------------------------------------------------------------------------

FORKED = """
import multiprocessing, sys
import numpy as np
import contactlib
from tests.simulation.test_processes import batch_and_steps

if __name__ == "__main__":
    used = batch_and_steps() if sys.argv[2] == "used" else None
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        there = pool.apply(batch_and_steps)
    assert there == batch_and_steps() and used in (None, there)
    print("done")
"""


def batch_and_steps():
    """Wrenches of a batch, and the state after steps, in two threads each, as bytes."""
    model = contactlib.load("peg_in_hole").compile()
    states = np.repeat(contactlib.Simulation(model).states[None], 500, 0)
    states[:, :, 2] += np.linspace(0.0, 0.05, 500)[:, None]
    batch = contactlib.Simulation(model, num_threads=2).compute_batch(states)
    simulation = contactlib.Simulation(crowd(), num_threads=2)
    simulation.run(3e-3, 1e-3)
    assert len(simulation.contacts) > 256
    return batch.wrenches.tobytes() + simulation.save()


@POSIX
@pytest.mark.parametrize("threads", ["used", "unused"])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_computes_equal_bits(method, threads, tmp_path):
    """Before and after the use of threads: a fork lacks its parent's threads and must not wait for them."""
    (tmp_path / "forks.py").write_text(FORKED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run([sys.executable, tmp_path / "forks.py", method, threads], capture_output=True, text=True,
                            env=environment, timeout=120)
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


@POSIX
def test_a_simulation_goes_on_in_a_fork():
    """One that was made before, with threads; and a fork of the fork."""
    simulation = contactlib.Simulation(crowd(), num_threads=2)
    simulation.run(2e-3, 1e-3)
    twin = copy.deepcopy(simulation)
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)

    def go(levels):
        if levels:
            child = context.Process(target=go, args=(levels - 1,))
            child.start()
            child.join()
        else:
            simulation.run(2e-3, 1e-3)
            send.send_bytes(simulation.save())

    child = context.Process(target=go, args=(1,))
    child.start()
    assert receive.poll(60), "the child hangs"
    found = receive.recv_bytes()
    child.join()
    twin.run(2e-3, 1e-3)
    assert found == twin.save()


# ---- limits ----------------------------------------------------------------------------------------

LIMITED = """
import resource, sys, threading
import numpy as np
import contactlib
from contactlib._core import engine

model = contactlib.load("peg_in_hole").compile()
simulation = contactlib.Simulation(model)
states = np.repeat(simulation.states[None], 2000, 0)
expected = simulation.compute_batch(states).wrenches

def refused(call, error, words):
    try:
        call()
    except error as found:
        assert words in str(found), found
    else:
        raise AssertionError("not refused")

{body}
assert (simulation.compute_batch(states).wrenches == expected).all()  # and goes on
print("done")
"""
NO_THREADS = """
here = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (here + (40 << 20),) * 2)
words = "64 threads cannot be started"
refused(lambda: simulation.compute_batch(states, 64), RuntimeError, words)
refused(lambda: contactlib.Simulation(model, num_threads=64), RuntimeError, words)
"""
#: root is exempt from the limit
NO_PROCESSES = """
import os
if os.geteuid() == 0:
    os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
refused(lambda: simulation.compute_batch(states, 64), RuntimeError, "64 threads cannot be started")
"""
NO_MEMORY = """
large = {"scene": {"name": "large", "max_contacts": 100_000}, "body": [
    {"name": "b", "motion": "free", "mass": 1.0, "inertia": [1, 1, 1],
     "shape": [{"name": "s", "kind": "sphere", "radius": 1.0, "material": "a"}]}]}
model = contactlib.Spec.from_dict(large).compile()
here = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (here + (40 << 20),) * 2)
refused(lambda: contactlib.Simulation(model), MemoryError, "out of memory")
refused(lambda: engine.Model(model.to_bytes()), MemoryError, "")
"""


def limited(body):
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    result = subprocess.run([sys.executable, "-c", LIMITED.replace("{body}", body)], capture_output=True, text=True,
                            env=environment, timeout=120)
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


@LINUX
@pytest.mark.skipif(not OPENMP, reason="built without OpenMP: one thread does all")
@pytest.mark.parametrize("body", [NO_THREADS, NO_PROCESSES], ids=["memory", "processes"])
def test_threads_that_cannot_be_made_are_an_error(body):
    limited(body)




@LINUX
def test_out_of_memory_is_a_memory_error():
    limited(NO_MEMORY)


# ---- copies ----------------------------------------------------------------------------------------


def copied(simulation):
    return [pickle.loads(pickle.dumps(simulation)), copy.deepcopy(simulation), copy.copy(simulation)]


@pytest.mark.parametrize("name", SPECS)
def test_copies_of_a_simulation(name):
    """They show what it shows, go on to its bits, and leave it alone."""
    simulation = running(name, SPECS[name]().compile())
    saved, contacts = simulation.save(), simulation.contacts
    for other in copied(simulation):
        assert other.save() == saved and other.model.hash == simulation.model.hash
        np.testing.assert_array_equal(other.contacts, contacts)
        np.testing.assert_array_equal(other.wrenches, simulation.wrenches)
        other.run(0.02, 1e-3)
        assert simulation.save() == saved
    simulation.run(0.02, 1e-3)
    for other in copied(simulation):
        assert other.save() == simulation.save()
        assert other.plot is not None and len(other._trajectory.time) == 21
        other._trajectory.states[:] = 0.0
        assert simulation._trajectory.states.any()


def test_copies_of_a_model(pegs):
    assert copy.copy(pegs) is pegs and copy.deepcopy(pegs) is pegs  # it is constant
    there = pickle.loads(pickle.dumps(pegs))
    assert there.to_bytes() == pegs.to_bytes() and there.shape_names == pegs.shape_names
    assert there.variables == pegs.variables
    assert contactlib.Simulation(there).save() == contactlib.Simulation(pegs).save()


def test_num_threads_of_a_copy(pegs):
    simulation = contactlib.Simulation(pegs, num_threads=2)
    assert [other.num_threads for other in copied(simulation)] == [2, 2, 2]


def test_arrays_are_read_only(pegs):
    """What is read is a copy: to write to it would change nothing, and is refused instead."""
    simulation = contactlib.Simulation(pegs)
    wrenches, contacts = simulation.compute({"interface": {"r": (0.0, 0.0003, 0.03)}})
    for array in (simulation.states, simulation.wrenches, simulation.contacts["depth"], wrenches, contacts["depth"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    states = simulation.states.copy()
    states[0, 2] += 1e-3
    simulation.compute(states)
    assert simulation.states[0, 2] == states[0, 2]
