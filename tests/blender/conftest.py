"""The program with bpy that the tests of this folder use; without one they are skipped, with the reason."""

from __future__ import annotations

import pytest

from contactlib.blender import host


@pytest.fixture(scope="session")
def program() -> host.Program:
    try:
        return host.find_program()
    except ValueError as error:
        pytest.skip(f"Blender does not run here: {error}")
