"""The table of the contacts of cables: the rows of each step, files without it, runs that did not end, exports."""

import io
import json
import zipfile

import numpy as np
import pandas
import pytest

import contactlib
from contactlib import ResultWriter, Simulation, read_result
from contactlib.exports import write_vtk
from contactlib.results import check, recover
from contactlib.results.package import write_package
from tests.support.every_element import SPECS

STEPS = 80


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A ball on two ropes that cross: its result, and what the simulation returned in each step."""
    path, spec, seen = tmp_path_factory.mktemp("cables") / "r.clr", SPECS["cables"](), []
    simulation = Simulation(spec.compile())
    with ResultWriter(path, simulation.model, scene=spec, interval=0.0) as writer:
        for _ in range(STEPS):
            simulation.step(1e-3)
            writer.record(simulation)
            seen.append(simulation.cable_contacts("ropes"))
    return read_result(path), seen


def test_rows_are_the_contacts_of_each_step(run):
    result, seen = run
    shapes = result.manifest["shapes"]
    touched = set()
    for frame, contacts in enumerate(seen):
        rows = result.cable_contacts_of(frame)
        for name, field in (("r_W", "p_WC"), ("n_W", "n_W"), ("f_W", "f_W"), ("depth", "depth")):
            assert rows[name].tobytes() == np.ascontiguousarray(contacts[field]).tobytes(), name
        assert rows["cable"].tolist() == [f"ropes[{row['cable'] + 1}]" for row in contacts]
        names = [f"ropes[{row['other_cable'] + 1}]" if row["shape"] < 0 else shapes[row["shape"]] for row in contacts]
        assert rows["touched"].tolist() == names
        assert rows["body"].tolist() == ["" if row["body"] < 0 else result.bodies[row["body"]] for row in contacts]
        assert len(contacts) == result.outputs["ropes.touching"][frame]
        touched |= set(names)
    assert touched == {"b.s", "ropes[2]"}


def test_numbers_of_cables_go_over_all_elements(tmp_path):
    """Two elements with cables: the rows of the second name its own cables."""
    spec = SPECS["cables"]()
    [ropes] = spec.elements
    table = {"scene": {"name": "two", "step_size": 1e-3, "gravity": [0, 0, -9.81]},
             "body": [{"name": f"b{k}", "motion": "free", "mass": 1.0, "inertia": [0.01] * 3,
                       "state": {"r": [2.0 * k, 0, 0.0515]},
                       "shape": [{"name": "s", "kind": "sphere", "radius": 0.05, "material": "a"}]} for k in (0, 1)],
             "cables": [{"name": f"ropes{k}", "touches": [f"b{k}"], "max_touches": 12, "cable_friction": 0.2,
                         "first_points": [[2.0 * k - 0.3, 0, 0], [2.0 * k, -0.3, -0.0031]],
                         "last_points": [[2.0 * k + 0.3, 0, 0], [2.0 * k, 0.3, -0.0031]],
                         "cable": {"radius": ropes.cable.radius, "axial_stiffness": ropes.cable.axial_stiffness,
                                   "bending_stiffness": ropes.cable.bending_stiffness, "elements": 3, "capsules": 2,
                                   "line_density": ropes.cable.line_density}} for k in (0, 1)]}
    result = contactlib.record(contactlib.Spec.from_dict(table), tmp_path / "two.clr", duration=0.05)
    rows = result.cable_contacts
    for k in (0, 1):
        own = np.char.startswith(rows["cable"].astype(str), f"ropes{k}[")
        assert set(rows["touched"][own]) == {f"b{k}.s", f"ropes{k}[2]"} and set(rows["cable"][own]) >= {f"ropes{k}[1]"}
        assert np.abs(rows["r_W"][own, 0] - 2.0 * k).max() < 0.3


def test_pandas_reads_the_table(run):
    result, seen = run
    with zipfile.ZipFile(result.path) as file:
        table = pandas.read_parquet(io.BytesIO(file.read("cable_contacts.parquet")))
    assert len(table) == sum(len(contacts) for contacts in seen) > STEPS / 2
    assert table.groupby("touched", observed=True)["f_W_z"].sum()["b.s"] < 0.0  # the ball presses the rope down


def test_a_file_without_the_table_has_no_rows(run, tmp_path):
    """As contactlib wrote them before the table existed: no member, and no list of tables in the manifest."""
    result, _ = run
    with zipfile.ZipFile(result.path) as file:
        names = [name for name in file.namelist() if name != "FORMAT" and "cable_contacts" not in name]
        members = {name: file.read(name) for name in names}
    manifest = json.loads(members["manifest.json"])
    del manifest["tables"], manifest["rows"]["cable_contacts"]
    old = check(write_package(tmp_path / "old.clr", members | {"manifest.json": json.dumps(manifest).encode()}))
    assert "cable_contacts" not in old.tables and set(old.tables) < set(result.tables)
    assert len(old.cable_contacts["frame"]) == 0 and old.cable_contacts_of(3)["f_W"].shape == (0, 3)
    assert len(old.table("cable_contacts")) == 0
    assert old.cables["ropes[1]"].tobytes() == result.cables["ropes[1]"].tobytes()
    # a damaged one is recovered with the tables that it had
    content = old.path.read_bytes()
    (tmp_path / "cut.clr").write_bytes(content[:-100])
    with pytest.warns(contactlib.IncompleteWarning):
        again = check(recover(tmp_path / "cut.clr"))
    assert again.tables == old.tables and len(again) == len(old)


def test_a_run_that_did_not_end_keeps_its_rows(run, tmp_path):
    result, seen = run
    simulation = Simulation(SPECS["cables"]().compile())
    writer = ResultWriter(tmp_path / "r.clr", simulation.model, interval=0.0)
    for _ in range(STEPS // 2):
        simulation.step(1e-3)
        writer.record(simulation)
    writer.abandon()
    with pytest.warns(contactlib.IncompleteWarning):
        found = check(recover(writer.folder))
    assert len(found) == STEPS // 2
    count = sum(len(contacts) for contacts in seen[:STEPS // 2])
    assert found.cable_contacts["f_W"].tobytes() == result.cable_contacts["f_W"][:count].tobytes()


def test_a_file_that_lost_the_table_is_recovered_without_its_rows(run, tmp_path):
    result, _ = run
    content = bytearray(result.path.read_bytes())
    at = content.index(b"PK\x03\x04", content.index(b"cable_contacts.parquet") - 60)
    start = content.index(b"PAR1", at)
    end = content.index(b"PK\x03\x04", start)
    content[start:end] = bytes(end - start)
    footer = content.index(b"cable_contacts.footer")
    content[footer + 21:footer + 60] = bytes(39)
    (tmp_path / "bad.clr").write_bytes(content)
    with pytest.warns(contactlib.IncompleteWarning, match="lost tables: cable_contacts"):
        found = check(recover(tmp_path / "bad.clr"))
    assert len(found.cable_contacts["frame"]) == 0 and len(found) == len(result)
    assert found.cables["ropes[1]"].tobytes() == result.cables["ropes[1]"].tobytes()


def test_vtk_has_the_contacts_of_cables(run, tmp_path):
    result, seen = run
    write_vtk(result, tmp_path / "r.pvd", every=STEPS - 1)
    [*_, last] = sorted(tmp_path.rglob("contacts*.vtp")) or sorted(tmp_path.rglob("*contacts*"))
    assert f'NumberOfPoints="{len(seen[-1])}"' in last.read_text() and len(seen[-1]) > 0
