"""The binaries of other platforms compute the bits of linux64: win64 under wine, aarch64 under qemu-user."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.golden import SCENES
from tests.support.platforms import Binaries, prepare_scene, run_scene

ROWS = 1000


@pytest.mark.parametrize("platform", ["win64", "aarch64-linux"])
@pytest.mark.parametrize("scene", SCENES)
def test_all_platforms_compute_the_same_bits(
    scene: str, platform: str, binaries: Binaries, emulator: Path, tmp_path: Path
) -> None:
    """Outputs of all steps, and the state at the end; a hundredth of the steps is rolled back and repeated."""
    here = binaries.path("linux64")
    prepared = prepare_scene(scene, tmp_path, ROWS)
    there = run_scene(platform, binaries.path(platform), prepared, emulator, ROWS, repeated=100)
    assert there["repeated"] == "10"
    assert there == run_scene("linux64", here, prepared, emulator, ROWS, repeated=100)


def test_win64_runs_long_with_rollback(binaries: Binaries, emulator: Path, tmp_path: Path) -> None:
    """100000 steps; every tenth is repeated from its serialized state."""
    prepared = prepare_scene("cbm", tmp_path, ROWS)
    there = run_scene("win64", binaries.path("win64"), prepared, emulator, 100_000, repeated=10)
    assert there["repeated"] == "10000"
    assert there == run_scene("linux64", binaries.path("linux64"), prepared, emulator, 100_000, repeated=10)


def test_the_host_sees_other_inputs(binaries: Binaries, emulator: Path, tmp_path: Path) -> None:
    """One input that is changed in its last bit changes the hash: equal hashes mean something."""
    prepared = prepare_scene("cbm", tmp_path, 50)
    here = binaries.path("linux64")
    before = run_scene("linux64", here, prepared, emulator, 50)
    numbers = prepared.inputs.read_text().splitlines()
    value = float.fromhex(numbers[-7])
    numbers[-7] = (value * (1 + 2**-52)).hex()
    assert numbers[-7] != value.hex()
    prepared.inputs.write_text("\n".join(numbers))
    assert run_scene("linux64", here, prepared, emulator, 50) != before
