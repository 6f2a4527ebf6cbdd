"""Contact models written in Python: the same physics as compiled ones, memory, errors, FMUs."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.fmu.export import export_fmu
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.model.model import Model
from tests.support.fmu_cases import Slave, named
from tests.support.scenes import body

FEET = Path(__file__).parents[1] / "support" / "feet"
NORMAL = {"kind": "kelvin_voigt", "stiffness": 2e4, "damping": 60.0}
FRICTION = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.3, "tangential_stiffness": 3e4,
            "tangential_damping": 40.0}
COMPILED = {"normal": NORMAL, "friction": FRICTION}
PAD = {"kind": "feet:Pad", **{k: v for part in (NORMAL, FRICTION) for k, v in part.items() if k != "kind"}}
PYTHON = {"model": PAD}


def spec(law, bodies=None, folder=FEET, **options):
    """A brick of eight points thrown onto a floor: it lands on edges and corners, tumbles, slides and comes to rest."""
    corners = [[x, y, z] for x in (-0.15, 0.15) for y in (-0.1, 0.1) for z in (-0.05, 0.05)]
    brick = body("brick", "free", mass=2.0, inertia=[0.01, 0.02, 0.015],
                 shapes=[{"name": f"corner_{i}", "kind": "point", "r": r, "material": "a"}
                         for i, r in enumerate(corners)],
                 state={"r": [0, 0, 0.16], "q": [0.9238795325112867, 0.2, 0.3, 0.1309637378126], "v": [0.7, 0.2, -0.5],
                        "w": [1.0, 2.0, -1.5]})
    q = np.array(brick["state"]["q"])
    brick["state"]["q"] = (q / np.linalg.norm(q)).tolist()
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}])
    return contactlib.Spec.from_dict({
        "scene": {"name": "feet", "step_size": 2e-4, "gravity": [0, 0, -9.81], **options},
        "body": bodies or [brick, floor], "law": [{"name": "grip", "materials": ["a", "b"], **law}],
        "pair": [{"bodies": [(bodies or [brick])[0]["name"], "floor"]}]}, folder=folder, trust=True)


def tip(model, depth=1e-4, motion="free", names=("tip",), folder=FEET):
    foot = body("foot", motion, mass=1.0, inertia=[0.01] * 3, state={"r": [0, 0, -depth]},
                shapes=[{"name": name, "kind": "point", "material": "a", "r": [0.1 * i, 0.0, 0.0]}
                        for i, name in enumerate(names)])
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}])
    return spec({"model": model}, [foot, floor], folder, step_size=1e-3, gravity=[0, 0, 0])


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_a_python_model_matches_the_compiled_laws(integrator):
    """1.2 s of tumbling, sliding and sticking to rest: the same steps in the same order but for rounding."""
    runs = [contactlib.Simulation(spec(law, integrator=integrator).compile()).run(1.2, 1e-3)
            for law in (COMPILED, PYTHON)]
    compiled, python = runs
    assert compiled.contact_count.max() >= 4 and compiled.energy_dissipated[-1] > 2.0
    np.testing.assert_allclose(python.states, compiled.states, rtol=0, atol=1e-12)
    np.testing.assert_allclose(python.energy_dissipated, compiled.energy_dissipated, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(python.contact_count, compiled.contact_count)


def test_a_python_model_sees_faces_as_one_point():
    """At the centre of pressure, with the depth of the pair: flat on its face a brick is pushed as by compiled laws.

    M = A d^4 + L d^5/5 of the face and of the walls around it, A Phi^4 = M: the force is k Phi dPhi/dd.
    """
    d, walls = 1e-3, 2 * (0.3 + 0.2) * 1e-3 / (0.3 * 0.2)
    force = NORMAL["stiffness"] * d * (1 + walls / 4) / np.sqrt(1 + walls / 5)
    brick = body("brick", "external", shapes=[{"name": "box", "kind": "box", "size": [0.3, 0.2, 0.1], "material": "a"}])
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}])
    for law in (COMPILED, PYTHON):
        simulation = contactlib.Simulation(spec(law, [brick, floor]).compile())
        found = simulation.compute({"brick": {"r": [0.2, -0.1, 0.05 - d]}})
        assert len(found.contacts) == 1
        np.testing.assert_allclose(found.wrench("brick"), [0, 0, force, 0, 0, 0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_state_holds_the_memory(threads):
    model = spec(PYTHON).compile()
    one, other = contactlib.Simulation(model), contactlib.Simulation(model, num_threads=threads)
    one.step(0.4)
    other.restore(one.save())
    one.step(0.2), other.step(0.2)
    assert one.save() == other.save()


def test_an_anchor_in_python_is_the_compiled_one():
    steps = np.random.default_rng(3).normal(loc=[0, 0, 1e-6], scale=[2e-5, 2e-5, 1e-5], size=(200, 3))
    path = np.cumsum(steps, axis=0)
    forces = []
    for model in ({"kind": "feet:Anchor", "stiffness": 1e4, "damping": 20.0},
                  {"kind": "spring", "stiffness": 1e4, "damping": 20.0}):
        simulation = contactlib.Simulation(tip(model, motion="external").compile())
        forces.append([simulation.step(1e-3, {"foot": {"r": r, "v": [0.01, 0.0, 0.02]}}).wrench("foot") for r in path])
    np.testing.assert_allclose(*forces, atol=1e-12)


def test_establish_update_and_terminate():
    """A contact with an attachment of 1e4 N/m ends at 2 N, 0.2 mm above the wall, and begins again on return."""
    simulation = contactlib.Simulation(tip({"kind": "feet:Diary", "stiffness": 1e4, "z_limit": 2.0},
                                           motion="external").compile())
    diary = simulation.contact_models["grip"].lines
    diary.clear()  # removes the lines of the evaluation at the start
    for height in (-1e-4, -1e-4, 0.5e-4, 1.5e-4, 2.5e-4, 1e-4, -2e-4):
        simulation.step(1e-3, {"foot": {"r": [0, 0, height]}})
    first, second, third = diary[:1], diary[1:2], diary[2:]
    assert first == [("establish", 1, pytest.approx(1e-4))]
    # memory: the depth at first, and the time of the four updates after it; its age
    assert second == [("terminate", 1, pytest.approx(1e-4), pytest.approx(5e-3), pytest.approx(4e-3))]
    assert third == [("establish", 1, pytest.approx(2e-4))]


@pytest.mark.parametrize("how, sentence", [
    ("raise", r"failed in update of foot\.tip on floor\.plane and 1 other contacts: AttributeError: .*nothing.*"
              r"feet\.py line \d+"),
    ("shape", r"failed in update of .*: ValueError: the forces have shape \(2, 2\), must be \(2, 3\)"),
    ("nan", r"returned a force, energy or memory that is not finite for foot\.heel on floor\.plane"),
    ("memory", r"returned a force, energy or memory that is not finite for foot\.tip on floor\.plane"),
    ("ends", r"which contacts end has shape \(2,\) and type float64, must be \(2,\) of bool"),
])
@pytest.mark.parametrize("act", ["step", "compute"])
def test_an_error_names_the_contact_and_leaves_the_state_intact(how, sentence, act):
    simulation = contactlib.Simulation(tip({"kind": "feet:Broken", "how": how, "depth": 2e-4},
                                           names=("tip", "heel")).compile())
    simulation.step(1e-3)
    before = simulation.save()
    deep = {"foot": {"r": [0, 0, -3e-4]}}
    with pytest.raises(contactlib.ContactModelError, match="contact model 'feet:Broken' of law 'grip' .*" + sentence):
        simulation.step(5e-3, deep) if act == "step" else simulation.compute(deep)
    assert simulation.save() == before
    simulation.step(1e-3)  # and goes on
    other = contactlib.Simulation(simulation.model)
    other.restore(before)
    other.step(1e-3)
    assert other.save() == simulation.save()


def test_an_interrupt_goes_through():
    simulation = contactlib.Simulation(tip({"kind": "feet:Broken", "how": "stop", "depth": 2e-4}).compile())
    before = simulation.save()
    with pytest.raises(KeyboardInterrupt):
        simulation.step(1e-3, {"foot": {"r": [0, 0, -3e-4]}})
    simulation.restore(before)


@pytest.mark.parametrize("model, sentence", [
    ({"kind": "foot:Pad"}, r"law\[0\]\.model = 'foot:Pad': there is no module .*foot\.py"),
    ({"kind": "feet:Paw"}, r"law\[0\]\.model = 'feet:Paw': the module feet has no subclass 'Paw'"),
    ({"kind": "feet:np"}, "has no subclass 'np' of contactlib.ContactModel"),
    ({"kind": "feet:../x"}, "must be a name of letters"),
    ({"kind": "feet:Anchor"}, "Anchor needs the argument 'stiffness', and it is missing"),
    ({"kind": "feet:Anchor", "stifness": 1}, "takes no argument 'stifness'; did you mean 'stiffness'?"),
    ({"kind": "feet:Anchor", "stiffness": float("nan")}, "law"),
])
def test_a_scene_that_names_no_model(model, sentence):
    with pytest.raises(ValueError, match=sentence):
        tip(model)


def test_what_runs_python_models_and_what_does_not(tmp_path):
    model = spec(PYTHON).compile()
    with pytest.raises(ValueError, match="law 'grip' is written in Python, which a native FMU cannot run"):
        export_fmu(model, tmp_path / "feet.fmu")
    bare = Model.from_bytes(model.to_bytes())
    with pytest.raises(ValueError, match="their modules are missing"):
        contactlib.Simulation(bare)
    again = Model.from_bytes(model.to_bytes(), modules=FEET)
    assert contactlib.Simulation(again).run(0.02, 1e-3).states.shape == (21, 2, 13)
    with pytest.raises(ValueError, match=r"feet\.py is not the one that the model was compiled with"):
        Model.from_bytes(model.to_bytes(), modules={"feet": "# empty"})
    error = contactlib.run_ensemble(model, ["brick.r[3]"], duration=0.5).errors[0]
    assert "law 'grip' is written in Python: only a Simulation" in error


def folder_with(tmp_path, name, line):
    """A folder whose feet.py has a Pad that pushes with a force of its own."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "feet.py").write_text(
        "import numpy as np\nfrom contactlib import ContactModel\n\nSTIFFNESS = " + line + "\n\n\n"
        "class Pad(ContactModel):\n    numbers = 1\n\n    def update(self, contacts):\n"
        "        contacts.memory[:] += contacts.h\n"
        "        return (STIFFNESS * contacts.depth)[:, None] * contacts.normal\n", encoding="utf-8")
    return folder


def test_the_model_of_the_documentation(tmp_path):
    page = (Path(__file__).parents[2] / "docs/contact_models.md").read_text(encoding="utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "feet.py").write_text(code, encoding="utf-8")
    model = {"kind": "feet:Pad", "stiffness": 1e4, "damping": 20.0, "strength": 2.0}
    simulation = contactlib.Simulation(tip(model, motion="external", folder=tmp_path).compile())
    found = [simulation.step(1e-3, {"foot": {"r": [0, 0, z]}}).wrench("foot")[2] for z in (-1e-4, 1.5e-4, 2.5e-4, 1e-4)]
    np.testing.assert_allclose(found, [1.0, -1.5, -2.5, 0.0], rtol=0.01, atol=1e-12)  # ends on reaching 2 N


def test_two_fmus_with_modules_of_one_name(tmp_path):
    """Side by side in one process, step by step in turns: each has the stiffness of its own feet.py."""
    slaves, models = [], []
    for name, stiffness in (("soft", 1e3), ("hard", 5e4)):
        folder = folder_with(tmp_path, name, str(stiffness))
        models.append(tip({"kind": "feet:Pad"}, motion="external", folder=folder).compile())
        fmu = export_pythonfmu(models[-1], tmp_path / f"{name}.fmu")
        shutil.rmtree(folder)  # its module is in the FMU
        slaves.append(Slave(fmu, tmp_path / name, models[-1]).start())
        slaves[-1].exitInitializationMode()
    force = [named(model, "foot.f")[2] for model in models]
    for k in range(1, 6):
        for slave, model in zip(slaves, models, strict=True):
            slave.setReal(named(model, "foot.r"), [0, 0, -1e-4 * k])
            slave.doStep((k - 1) * 1e-3, 1e-3)
        pushed = [slave.getReal([row])[0] for slave, row in zip(slaves, force, strict=True)]
        np.testing.assert_allclose(pushed, [0.1 * k, 5.0 * k], rtol=1e-12)


def test_the_fmu_gives_the_bits_of_the_simulation_and_holds_the_memory(tmp_path):
    model = spec(PYTHON).compile()
    simulation = contactlib.Simulation(model)
    with Slave(export_pythonfmu(model, tmp_path / "feet.fmu"), tmp_path / "feet", model) as slave:
        slave.start()
        slave.exitInitializationMode()
        rows = named(model, "brick.r", "brick.q", "brick.v", "brick.w")
        saved = None
        for k in range(150):
            simulation.data.accept_inputs()  # as an FMU does, which evaluates again at the start of a step
            simulation.data.advance(2e-3)
            slave.doStep(k * 2e-3, 2e-3)
            if k == 99:
                saved = slave.getFMUstate()
        assert slave.getReal(rows) == simulation.states[0].tolist()
        slave.setFMUstate(saved)
        for k in range(100, 150):
            slave.doStep(k * 2e-3, 2e-3)
        assert slave.getReal(rows) == simulation.states[0].tolist()


def test_the_command_chooses_the_flavour(tmp_path, monkeypatch):
    from contactlib.cli.main import app

    folder = folder_with(tmp_path, "wall", "1e4")
    (folder / "scene.toml").write_text(
        '[scene]\nname = "wall"\n[[body]]\nname = "foot"\n[[body.shape]]\nname = "tip"\nkind = "point"\n'
        'material = "a"\n[[body]]\nname = "floor"\nmotion = "fixed"\n[[body.shape]]\nname = "plane"\nkind = "plane"\n'
        'material = "b"\n[[law]]\nname = "grip"\nmaterials = ["a", "b"]\nmodel = { kind = "feet:Pad" }\n'
        '[[pair]]\nbodies = ["foot", "floor"]\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    result = runner.invoke(app, ["fmu", "export", str(folder), "--trust"])
    assert result.exit_code == 0, result.output
    assert "this FMU runs in Python and contains feet.py" in result.output and Path("wall.fmu").exists()
    assert "feet:Pad, in Python" in runner.invoke(app, ["show", str(folder)]).output
    refused = runner.invoke(app, ["fmu", "export", str(folder), "--flat", "--trust"])
    assert refused.exit_code != 0
