"""An installed package on its own: computes, couples an FMU that it wrote, and has its command.

usage: smoke.py wheel|sdist [README.md], whose first example is run too.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu

import contactlib
from contactlib._core import engine
from contactlib.fmu.export import export_fmu

assert (sys.argv[1] == "sdist") is not engine.OPENMP, "OpenMP is used exactly where the compiler has it"
assert Path(contactlib.__file__).is_relative_to(sys.prefix), "this must be the installed package"

model = contactlib.load("peg_in_hole").compile()
simulation = contactlib.Simulation(model)
simulation.compute({"interface": {"r": (0.0, 0.0003, 0.03)}})
assert len(simulation.contacts) > 0
states = np.repeat(simulation.states[None], 100, axis=0)
one, two = (simulation.compute_batch(states, num_threads=n).wrenches for n in (1, 2))
assert np.array_equal(one, two) and np.abs(one).max() > 0

with tempfile.TemporaryDirectory() as folder:
    fmu = str(export_fmu(model, Path(folder) / "peg_in_hole.fmu"))
    assert not validate_fmu(fmu)
    assert len(simulate_fmu(fmu, stop_time=0.01)) > 1
    if sys.argv[2:]:
        os.chdir(folder)
        exec(re.search(r"```python\n(.*?)```", Path(sys.argv[2]).read_text(encoding="utf-8"), re.DOTALL)[1])
        assert Path("docking.png").stat().st_size > 10_000
        os.chdir("/")
subprocess.run([Path(sys.prefix) / "bin" / "contactlib", "--help"], check=True, stdout=subprocess.DEVNULL)
print(f"contactlib {contactlib.__version__} works, OpenMP: {engine.OPENMP}")
