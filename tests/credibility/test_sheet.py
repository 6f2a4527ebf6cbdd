"""The sheet: convergence against closed forms, cases, sensitivity, files, and the page of the docs."""

from __future__ import annotations

import json
import math
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.credibility import (
    Convergence,
    Evidence,
    Sensitivity,
    coverage,
    credibility_sheet,
    measure_convergence,
    overview,
    read_facts,
    read_sensitivity,
    run_sensitivity,
    write_sensitivity,
)
from contactlib.credibility.coverage import parts_of
from contactlib.credibility.sensitivity import SENSITIVITY_FILE, study_digest
from contactlib.model.spec import SCENES
from contactlib.report.document import Bullets, Document, Section, Table, html, markdown, markdown_part
from contactlib.validation import data_folder, find_cases

ROOT = Path(__file__).parents[2]
CASES = find_cases(data_folder())
NAMES = sorted(path.parent.name for path in SCENES.glob("*/scene.toml"))
#: a ball that never leaves the ground, whose law is a spring: z = R - m g/k + z0 cos(w t) + v/w sin(w t), w = 10/s
OSCILLATOR = """
[scene]
name = "oscillator"
gravity = [0.0, 0.0, -10.0]
integrator = "rk4"
step_size = 0.02
duration = 1.0

[[body]]
name = "ball"
motion = "free"
mass = 2.0
inertia = [1.0, 1.0, 1.0]
state = { r = [0.0, 0.0, 0.93], v = [0.0, 0.0, 0.3] }

[[body.shape]]
name = "skin"
kind = "sphere"
radius = 1.0
material = "a"

[[body]]
name = "ground"
motion = "fixed"

[[body.shape]]
name = "plane"
kind = "plane"
material = "b"

[[law]]
name = "spring"
materials = ["a", "b"]
normal = { kind = "kelvin_voigt", stiffness = 200.0, damping = 0.0 }

[[pair]]
bodies = ["ball", "ground"]
"""
FACTS = """
use = "tests the sheet"
not_for = ["anything else"]
limits = ["it has one spring"]
not_validated = ["all of it"]

[source]
B = "a book"

[pedigree]
"scene.*" = "chosen"
"body.ball.{mass,inertia}" = "measured: B, page 7"
"body.ball.state.*" = "chosen"
"body.ball.shape.**" = "assumed"
"law.**" = "assumed"

[metric]
height = { is = "final(ball.r[3])", unit = "m", why = "where it ends" }

[draw.speed]
path = "body.ball.state.v[3]"
distribution = "uniform"
low = 0.2
high = 0.4
reason = "a guess"

[draw.place]
path = "body.ball.state.r[1]"
distribution = "uniform"
low = 0.0
high = 1.0
reason = "matters nothing"

[study]
trajectories = 4
"""


@pytest.fixture
def oscillator(tmp_path: Path) -> Path:
    folder = tmp_path / "oscillator"
    folder.mkdir()
    (folder / "scene.toml").write_text(OSCILLATOR, encoding="utf-8")
    (folder / "credibility.toml").write_text(FACTS, encoding="utf-8")
    return folder


def evidence(**changes) -> Evidence:
    return replace(Evidence([], None, {}, None, {"contactlib": "1"}), **changes)


# ---- convergence ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("integrator", "step", "order"), [("semi_implicit_euler", 1e-3, 1.0), ("rk4", 2.5e-3, 4.0)])
def test_the_order_of_an_integrator_and_the_error_are_found(oscillator, integrator, step, order):
    """The exact height after 1 s is known."""
    facts = read_facts(oscillator)
    facts = replace(facts, study=replace(facts.study, options={"integrator": integrator, "step": step}))
    found, = measure_convergence(facts)
    error = abs(found.values[0] - (0.9 + 0.03 * math.cos(10.0) + 0.3 / 10 * math.sin(10.0)))
    # the estimate has the leading term of the error; the next one is about w h of it: 0.01 and 0.025
    assert found.order == pytest.approx(order, abs=0.1)
    assert found.error == pytest.approx(error, rel=0.1) and error > 0


@pytest.mark.parametrize(("values", "error"), [
    ((1.0, 1.0, 1.0), 0.0), ((1.0, 2.0, 4.0), 3.0), ((1.0, 1.5, 1.0), 0.5),
    ((1.0, 1.0 + 2**-51, 1.0 + 2**-52), 2**-51), ((math.inf, 1.0, 1.0), math.nan)])
def test_values_that_do_not_come_closer_have_no_order(values, error):
    found = Convergence("x", "m", values)
    assert math.isnan(found.order) and found.error == pytest.approx(error, abs=0, nan_ok=True)


def test_a_run_that_fails_is_an_error(oscillator):
    text = FACTS.replace("final(ball.r[3])", "final(ball.r[3]) / final(ball.r[2])")
    (oscillator / "credibility.toml").write_text(text.replace("ball.r[3]", "ball.r[2]", 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"oscillator with a step of 0\.02 s: .*is not a number"):
        measure_convergence(read_facts(oscillator))


# ---- sensitivity ---------------------------------------------------------------------------------


def test_a_sensitivity_is_made_written_and_read(oscillator, tmp_path):
    """The height is linear in the speed: mu* = sin(w t)/w times the range, and the place changes nothing."""
    facts = read_facts(oscillator)
    made = run_sensitivity(facts, num_threads=2)
    speed, place = made.effects("height")
    # w h = 0.2: the phase of rk4 is behind by t w (w h)^4/120 = 1.3e-4, of tan(10) = 0.65
    assert speed.draw == "speed" and speed.mu_star == pytest.approx(abs(math.sin(10.0)) / 10 * 0.2, rel=5e-3)
    # the file has nine digits
    assert speed.sigma < 1e-6 * speed.mu_star + 1e-8 and place.mu_star < 1e-8
    assert made.influential("height") == ["speed"] and (made.runs, made.failed) == (12, 0)
    read = read_sensitivity(write_sensitivity(tmp_path / "table.csv", made))
    assert read.made == made.made and read.study == study_digest(facts)
    for name, column in {**made.drawn, **made.results}.items():
        assert np.array_equal({**read.drawn, **read.results}[name], column), name


def test_a_study_of_another_scene_is_said(oscillator):
    facts = read_facts(oscillator)
    study = Sensitivity({"speed": np.array([0.0, 1.0]), "place": np.array([0.0, 0.0])},
                        {"height": np.array([0.0, 2.0])}, "hand", study_digest(facts))
    text = markdown(credibility_sheet(facts, evidence(sensitivity=study)))
    assert "HAVE CHANGED" not in text and "Made by hand" in text
    other = replace(facts, draws={"speed": facts.draws["speed"]})
    assert "HAVE CHANGED" in markdown(credibility_sheet(other, evidence(sensitivity=study)))


def test_a_file_that_is_no_study_is_named(tmp_path):
    path = tmp_path / "x.csv"
    for text in ("", "a,b\n1,2\n", "# made by x\n# study y\n# draws 1\na,b\n1,one\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="is no file of a sensitivity study"):
            read_sensitivity(path)


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_study_of_a_shipped_scene_is_current(name):
    """Else `contactlib credibility NAME --sensitivity` makes it anew."""
    facts, found = read_facts(name), read_sensitivity(SCENES / name / SENSITIVITY_FILE)
    assert found.study == study_digest(facts)
    assert [*found.drawn] == [*facts.draws] and [*found.results] == [*facts.metrics]
    assert found.runs == facts.study.trajectories * (len(facts.draws) + 1) and found.failed <= 0.1 * found.runs


def test_a_stored_study_is_what_its_command_makes():
    """One quick scene, again: all other studies come from the same command."""
    stored, again = read_sensitivity(SCENES / "trampoline_2d" / SENSITIVITY_FILE), run_sensitivity(
        read_facts("trampoline_2d"))
    for name, column in {**stored.drawn, **stored.results}.items():
        # drawn values may differ in the last digit on another kind of processor
        assert {**again.drawn, **again.results}[name] == pytest.approx(column, rel=1e-6), name


# ---- cases ---------------------------------------------------------------------------------------


def test_cases_of_a_scene_and_of_its_parts():
    found = coverage(contactlib.load("peg_in_hole"), CASES)
    assert {case.name for case in found.whole} == {"peg_in_hole", "peg_in_hole_fmu"}
    assert [case.name for case in found.evidence] == ["peg_in_hole"]
    assert "rwth_robot" in {case.name for case in found.parts["pair capsule-socket"]} and found.uncovered == []


def test_what_no_case_covers_is_named_as_not_validated():
    facts, spec = read_facts("cbm"), contactlib.load("cbm")
    found = coverage(spec, CASES)
    assert found.uncovered == ["element berthing"] and not found.evidence
    text = markdown(credibility_sheet(facts, evidence(coverage=found)))
    end = text[text.index("## Not validated"):]
    assert "No case with outside truth covers the part 'element berthing'." in end
    assert "The scene as a whole: no case has outside truth." in end


@pytest.mark.parametrize("name", NAMES)
def test_a_case_of_a_scene_covers_pairs_that_the_scene_has(name):
    """A case that runs a shipped scene alone cannot cover other pairs of shapes."""
    parts = parts_of(contactlib.load(name))
    for case in CASES:
        if case.scenes == (name,):
            assert {item for item in case.covers if item.startswith("pair ")} <= set(parts), case.name


# ---- the document and the command ----------------------------------------------------------------


class Links(HTMLParser):
    """Counts opened and closed tags, and collects links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_document_in_both_forms():
    parts = [Bullets(["a|b", "`c<d`"]), Table(["x", "n"], [["y|z", "3"]], [1])]
    document = Document("A & B", ["1 < 2"], [Section("S", parts)])
    assert markdown(document) == "# A & B\n\n1 < 2\n\n## S\n\n- a|b\n- `c<d`\n\n| x | n |\n|---|---:|\n| y\\|z | 3 |\n"
    page = html(document)
    parser = Links()
    parser.feed(page)
    assert parser.open == [] and parser.links == []
    assert "<h1>A &amp; B</h1>" in page and "<td class=n>3</td>" in page and "<li>a|b</li>" in page
    assert "<li><code>c&lt;d</code></li>" in page


def test_the_command_writes_a_sheet(oscillator, tmp_path):
    """A scene of a user, with the verdicts of an earlier validation; no case runs."""
    figures = tmp_path / "figures.json"
    figures.write_text(json.dumps({"cases": {"impact_linear": {"verdict": "MISSED"}}}), encoding="utf-8")
    out = tmp_path / "sheet.html"
    done = CliRunner().invoke(app, ["credibility", str(oscillator), "--sensitivity", "--verdicts", str(figures),
                                    "--out", str(out)])
    assert done.exit_code == 0, done.output
    parser = Links()
    parser.feed(out.read_text(encoding="utf-8"))
    assert parser.open == [] and parser.links == []
    done = CliRunner().invoke(app, ["credibility", str(oscillator), "--verdicts", str(figures)])
    assert done.exit_code == 0, done.output
    for part in ("# Credibility of the scene oscillator", "2 measured", "| height | m | 0.8",
                 "impact_linear (analytic, MISSED)",
                 "| body.ball.mass | 2 | kg | measured | B | page 7 |", "No hash of the scene's outputs is recorded.",
                 "| speed |", "- all of it", f"| contactlib | {contactlib.__version__} |"):
        assert part in done.output, part
    assert (oscillator / SENSITIVITY_FILE).is_file()


@pytest.mark.parametrize(("arguments", "message"), [
    (["tripods"], "no such file and no shipped scene; did you mean 'tripod'?"),
    (["tripod", "-o", "sheet.pdf"], "must end with .html or .md"),
    (["tripod", "--verdicts", __file__], "is no file of `contactlib validate --json`"),
    (["tripod", "--data", "nowhere"], "there is no such folder")])
def test_what_the_command_refuses(arguments, message):
    done = CliRunner().invoke(app, ["credibility", *arguments])
    assert done.exit_code == 1 and message in " ".join(done.output.split()), done.output


def test_the_page_has_the_table_of_the_command():
    text = (ROOT / "docs" / "credibility.md").read_text(encoding="utf-8")
    table = markdown_part(overview(CASES))
    done = CliRunner().invoke(app, ["credibility"])
    assert done.output.strip() == table and table in text
    assert {*re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)} == set(NAMES)


def test_an_installed_package_without_cases_says_so(oscillator, tmp_path, monkeypatch):
    shutil.copy(ROOT / "docs" / "validation.md", tmp_path / "some.md")
    monkeypatch.setattr("contactlib.validation.data_folder", missing)
    done = CliRunner().invoke(app, ["credibility", str(oscillator)])
    assert done.exit_code == 0 and "The validation cases are not at hand." in done.output


def missing(given=None):
    raise ValueError("the validation data are in the source tree")
