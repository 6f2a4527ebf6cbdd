"""The list of mutations is complete and applies to the core as it is; make mutations builds and runs them."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

import contactlib
from contactlib._core import engine
from contactlib.validation import data_folder, find_cases
from tests.validation.mutations import LIST, PAIR_CASES, PAIRS, apply, kernels, read_mutations

CORE = Path(contactlib.__file__).parent / "core"
MUTATIONS = read_mutations()
CASES = {case.name: case for case in find_cases(data_folder())}


def broken(kind: str) -> str:
    """What the list breaks of a kind, as one text."""
    return " ".join(one.breaks for one in MUTATIONS if one.breaks.startswith(kind))


def test_every_law_is_broken():
    for family, rows in engine.law_tables().items():
        for row in rows:
            name = row[0]
            if name != "none":
                assert f"law {name}" in broken("law") or f"model {name}" in broken("model"), (family, name)


def test_every_element_is_broken_or_has_a_reason():
    reasons = tomllib.loads(LIST.read_text(encoding="utf-8"))["unbroken"]
    for name, *_ in engine.element_table():
        assert (name in broken("element").split()) != (name in reasons), name
    assert len(reasons) == 1


def test_integrators_and_coupling_are_broken():
    assert {"rk4", "semi_implicit_euler,", "coupling"} <= set((broken("integrator") + " " + broken("coupling")).split())


def test_every_kernel_of_the_pair_table_is_broken(tmp_path):
    shutil.copytree(CORE, tmp_path / "core")
    apply(tmp_path / "core", MUTATIONS)
    text = (tmp_path / "core" / PAIRS).read_text(encoding="utf-8")
    assert len(kernels()) > 35 and all(f"broken<{name}, " in text for name in kernels())
    covered = {item for name in PAIR_CASES for item in CASES[name].covers}
    kinds, table = engine.shape_kinds(), engine.pair_table()
    for a, row in enumerate(table):
        for b, defined in enumerate(row):
            pair = f"pair {kinds[a]}-{kinds[b]}"
            thin = {"point", "segment"} & {kinds[a], kinds[b]}  # a ball or a capsule of radius 0: the same functions
            assert not defined or thin or pair in covered, pair


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.breaks)
def test_the_cases_of_a_mutation_are_evidence(mutation):
    assert mutation.cases and all(CASES[name].is_evidence for name in mutation.cases)
    assert not mutation.old or (mutation.old != mutation.new and mutation.factor != 1.0)
