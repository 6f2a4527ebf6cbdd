"""The native FMU in a plain C host: no Python in the process, nothing allocated in a step, abuse survived."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fmpy import extract

from contactlib.fmu.build import fmi_include
from contactlib.fmu.export import export_fmu
from contactlib.fmu.package.identifier import model_identifier
from contactlib.model.model import Model
from tests.support import rings
from tests.support.fmu_cases import Floats, named, of, peg_model, rattling, run_python
from tests.support.scenes import caught_box

H = 4.3e-3
compiler = next(
    (found for name in (os.environ.get("CC", "cc"), "gcc") if (found := shutil.which(name))), None
)
pytestmark = pytest.mark.skipif(
    compiler is None or not sys.platform.startswith("linux"), reason="needs a C compiler on Linux"
)


def rubbing(model: Model) -> Floats:
    """Inputs that press a box into a membrane and turn it there, while the winches work."""
    rows = np.tile([model.variables[i].start for i in of(model, "input")], (100, 1))
    t = H * np.arange(100)
    for name, values in {
        "rock.r[3]": 0.2 - 0.4 * np.sin(6.0 * t),
        "rock.v[3]": -2.4 * np.cos(6.0 * t),
        "rock.w[3]": np.sin(9.0 * t),
        "net.reel[2]": 0.1 * t,
    }.items():
        rows[:, of(model, "input").index(named(model, name)[0])] = values
    return np.asarray(rows)


def latching(model: Model) -> Floats:
    """Inputs that bring a ring to its indicators and home, while the control closes the latches."""
    rows = np.tile([model.variables[i].start for i in of(model, "input")], (330, 1))
    first = of(model, "input").index(named(model, "passive.r")[0])
    rows[:, first : first + 13] = [rings.state_of(H * k) for k in range(len(rows))]
    return np.asarray(rows)


CASES = {
    "contacts": lambda: ((model := peg_model()), rattling(model, 100, H)),
    "berthing": lambda: ((model := rings.scene().compile()), latching(model)),
    "membrane": lambda: ((model := caught_box("external", "external").compile()), rubbing(model)),
}


@pytest.mark.parametrize("case", CASES)
def test_plain_c_host(tmp_path: Path, case: str) -> None:
    model, rows = CASES[case]()
    folder = Path(extract(str(export_fmu(model, tmp_path / "peg.fmu")), unzipdir=str(tmp_path / "peg")))
    host = tmp_path / "fmu_host"
    source = Path(__file__).with_name("fmu_host.c")
    command = [str(compiler), "-std=gnu11", "-O1", "-Wall", "-Werror", f"-I{fmi_include()}", str(source)]
    subprocess.run([*command, "-rdynamic", "-ldl", "-o", str(host)], check=True)
    inputs, outputs = of(model, "input"), of(model, "output")
    numbers = [len(inputs), len(outputs), len(rows), H, *inputs, *outputs, *rows.ravel().tolist()]
    (tmp_path / "inputs").write_text("\n".join(float(number).hex() for number in numbers))

    library = folder / "binaries" / "linux64" / f"{model_identifier(model.name)}.so"
    resources = (folder / "resources").as_uri()
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LD_"))}
    run = subprocess.run(
        [str(host), str(library), model.guid, resources, str(tmp_path / "inputs")],
        capture_output=True,
        text=True,
        env=clean,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr
    lines = [line.split() for line in run.stdout.splitlines()]
    told = {line[0]: int(line[1]) for line in lines if line[0] != "row"}
    assert told["done"] == 1
    assert told["python_loaded"] == 0
    assert told["allocations_in_instantiate"] > 10  # the counter does count
    assert told["allocations_in_steps"] == 0
    assert run.stderr == ""
    results = np.array([[float.fromhex(x) for x in line[1:]] for line in lines if line[0] == "row"])
    assert np.abs(results).max() > 10.0  # N: there was something to compute
    assert results.tobytes() == run_python(model, rows, H).tobytes()
