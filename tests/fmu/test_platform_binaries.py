"""FMU binaries of all platforms: what they export and need, the same bytes twice, and how exports choose them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu
from typer.testing import CliRunner

from contactlib.cli.main import app
from contactlib.fmu import build, export
from contactlib.fmu.export import export_fmu
from contactlib.fmu.info import describe_fmu
from contactlib.fmu.object_files import macho
from contactlib.fmu.object_files.check import INEXACT, find_problems
from contactlib.fmu.object_files.read import needs, read_object_file
from contactlib.fmu.platforms import finish_macho
from contactlib.fmu.platforms.fat import join_architectures
from contactlib.fmu.platforms.finish_pe import finish_pe
from contactlib.fmu.platforms.table import PLATFORMS
from contactlib.fmu.platforms.zig import FLAGS
from contactlib.model.model import Model
from tests.support.platforms import Binaries, require_zig

NEEDS = {
    "linux64": "x86_64, glibc 2.16",
    "aarch64-linux": "aarch64, glibc 2.17",
    "win64": "x86_64, Windows 10 (UCRT)",
    "darwin64": "x86_64 and arm64, macOS 11",
}


# ---- the binaries --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLATFORMS)
def test_binary_may_be_shipped(name: str, binaries: Binaries, tmp_path: Path) -> None:
    """Exports, libraries, versions of symbols, binding, stack protector, paths: all at once."""
    content = binaries.path(name).read_bytes()
    assert find_problems(content, PLATFORMS[name], [tmp_path, binaries.folder]) == []
    assert needs(read_object_file(content)) == NEEDS[name]


@pytest.mark.skipif(shutil.which("objdump") is None, reason="there is no objdump here")
def test_objdump_reads_the_same(binaries: Binaries) -> None:
    """Versions and names of symbols, as the binutils read them."""
    path = binaries.path("linux64")
    table = subprocess.run(["objdump", "-T", str(path)], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines() if " DF " in line or " DO " in line or "*UND*" in line]
    (file,) = read_object_file(path.read_bytes())
    assert {row[-1] for row in rows if "*UND*" in row} == file.imports
    assert {row[-1] for row in rows if "*UND*" not in row} == file.exports
    assert {row[-2].strip("()") for row in rows if "GLIBC" in row[-2]} == {v for v in file.versions if "GLIBC" in v}


def test_the_same_bytes_in_another_folder_at_another_date(tmp_path: Path) -> None:
    """A part of the sources at two places, with two dates and time zones. `make reproducible` compares whole wheels."""
    require_zig()
    script = (
        "import sys; from pathlib import Path\n"
        "from contactlib.fmu.platforms.compile import compile_core\n"
        "from contactlib.fmu.platforms.zig import zig_compiler\n"
        "core, out = Path(sys.argv[1]), Path(sys.argv[2])\n"
        "compile_core(core, out, zig_compiler('x86_64-linux-gnu.2.17', core, out.parent))\n"
    )
    found = []
    for folder, date, zone in (("here", "1", "UTC"), ("elsewhere/below", "86400", "Asia/Tokyo")):
        place = tmp_path / folder
        for part in ("base", "math", "law"):
            shutil.copytree(build.default_core() / part, place / "core" / part)
        shutil.copy(build.default_core() / "build.toml", place / "core")
        subprocess.run([sys.executable, "-c", script, str(place / "core"), str(place / "out")], check=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": date, "TZ": zone})
        found.append({path.name: path.read_bytes() for path in (place / "out").glob("*.o")})
    assert len(found[0]) > 10 and found[0] == found[1]


LOADS = """
import _ctypes, ctypes, re, sys

def size():
    return int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read())[1])

def load():
    library = ctypes.CDLL(sys.argv[1])
    library.fmi2GetVersion()
    _ctypes.dlclose(library._handle)

for _ in range(20):
    load()
before = size()
for _ in range(1000):
    load()
assert "contactlib" not in open("/proc/self/maps").read()
print(size() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc, which only Linux has")
def test_loading_takes_no_address_space(binaries: Binaries) -> None:
    """A static libstdc++ keeps 71 kB with each load, 71 MB here; zig's C++ library keeps nothing."""
    command = [sys.executable, "-I", "-c", LOADS, str(binaries.path("linux64"))]
    assert int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) <= 1000


def test_fmpy_runs_it(binaries: Binaries, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The FMU with zig's binary is valid, and its results have the bits of the binary that g++ built."""
    ours = export_fmu(model, tmp_path / "here.fmu", platforms=["linux64"])
    monkeypatch.setattr(export, "BINARIES", binaries.path("linux64").parents[1])
    other = export_fmu(model, tmp_path / "zig.fmu", platforms=["linux64"])
    assert validate_fmu(str(other)) == []
    here, there = (simulate_fmu(str(path), stop_time=0.1) for path in (ours, other))
    assert len(there) > 10 and here.tobytes() == there.tobytes()


def test_flags_of_zig() -> None:
    """zig adds traps for undefined behaviour and frame pointers, and lowers -O3: all is taken back."""
    zig = require_zig()
    command = [str(zig), "c++", "-target", "x86_64-linux-gnu.2.17", "-O3", "-ffp-contract=off", *FLAGS, "-###", "-c",
               "-x", "c++", "/dev/null"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr.replace('"', "").split()
    assert [flag for flag in told if flag in ("-O0", "-O1", "-O2", "-O3")][-1] == "-O3"
    assert "-mframe-pointer=none" in told and "-ffp-contract=off" in told and "-stack-protector" in told
    assert not [flag for flag in told if flag.startswith("-fsanitize")]
    assert told[told.index("-target-cpu") + 1] == "x86-64"
    assert "+fma" not in told and "+avx" not in told


# ---- Windows -------------------------------------------------------------------------------------


def test_no_date_of_linking(tmp_path: Path) -> None:
    """zig's linker writes the second of the link into the file."""
    first = linked(tmp_path, "x86_64-windows-gnu")
    time.sleep(1.1)
    second = linked(tmp_path, "x86_64-windows-gnu")
    assert first != second
    assert finish_pe(first) == finish_pe(second) == finish_pe(finish_pe(first))
    assert finish_pe(first[:-1] + b"x") != finish_pe(first[:-1] + b"y")


# ---- macOS ---------------------------------------------------------------------------------------


def test_zig_signs_as_we_do(tmp_path: Path) -> None:
    """The signature of zig's own file, written again, has the same bytes; a changed page changes it."""
    content = linked(tmp_path, "aarch64-macos.11.0")
    again = bytearray(content)
    finish_macho._sign(again)
    assert bytes(again) == content and macho.has_signature(content)
    again[16384] ^= 1
    changed = bytearray(again)
    finish_macho._sign(changed)
    assert changed != again


def test_macos_exports_are_reduced(tmp_path: Path) -> None:
    content = linked(tmp_path, "aarch64-macos.11.0")
    (before,), (after,) = read_object_file(content), read_object_file(finish_macho.finish_macho(content))
    assert before.exports > after.exports == {"fmi2GetVersion", "fmi2GetTypesPlatform"}
    assert after.binds_now and not before.binds_now


def test_two_architectures_in_one_file(tmp_path: Path) -> None:
    parts = [linked(tmp_path, f"{name}-macos.11.0") for name in ("x86_64", "aarch64")]
    fat = join_architectures(parts)
    assert macho.slices(fat) == parts
    assert [file.machine for file in read_object_file(fat)] == ["x86_64", "arm64"]
    with pytest.raises(ValueError, match="there must be one for each"):
        join_architectures([parts[0], parts[0]])
    with pytest.raises(ValueError, match="not a 64-bit Mach-O file"):
        join_architectures([b"hello"])


def linked(folder: Path, target: str) -> bytes:
    source, library = folder / "two.c", folder / f"{target}.library"
    source.write_text('const char *fmi2GetVersion(void) { return "2.0"; }\n'
                      "const char *fmi2GetTypesPlatform(void) { return fmi2GetVersion(); }\n"
                      "void *malloc(unsigned long);\nvoid *other(void) { return malloc(1); }\n")
    command = [require_zig(), "cc", "-target", target, "-shared", "-s", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    return library.read_bytes()


# ---- exports of FMUs -----------------------------------------------------------------------------


@pytest.fixture
def two_binaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a binary for linux64 and something for win64."""
    folder = tmp_path / "binaries"
    for name in ("linux64", "win64"):
        (folder / name).mkdir(parents=True)
    shutil.copyfile(export.BINARIES / PLATFORMS["linux64"].library, folder / PLATFORMS["linux64"].library)
    (folder / PLATFORMS["win64"].library).write_bytes(b"MZ nothing else")
    monkeypatch.setattr(export, "BINARIES", folder)
    return folder


def inside(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return [name for name in archive.namelist() if name.startswith("binaries/")]


def test_export_writes_all_or_the_chosen(two_binaries: Path, model: Model, tmp_path: Path) -> None:
    both = ["binaries/linux64/pegs.so", "binaries/win64/pegs.dll"]
    assert inside(export_fmu(model, tmp_path / "all.fmu")) == both
    assert inside(export_fmu(model, tmp_path / "one.fmu", platforms=["win64"])) == both[1:]
    assert inside(export_fmu(model, tmp_path / "two.fmu", platforms=["win64", "linux64", "win64"])) == both


def test_export_refuses_what_is_not_there(two_binaries: Path, model: Model, tmp_path: Path) -> None:
    missing = (r"no FMU binary for darwin64 in .*; there is linux64, win64\. "
               r"Build it with: python -m contactlib\.fmu\.build --platform darwin64")
    with pytest.raises(FileNotFoundError, match=missing):
        export_fmu(model, tmp_path / "x.fmu", platforms=["darwin64"])
    with pytest.raises(ValueError, match="platform 'win32': must be one of linux64, aarch64-linux, win64, darwin64"):
        export_fmu(model, tmp_path / "x.fmu", platforms=["win32"])
    with pytest.raises(ValueError, match="platforms is empty"):
        export_fmu(model, tmp_path / "x.fmu", platforms=[])
    assert not (tmp_path / "x.fmu").exists()


def test_commands(two_binaries: Path, tmp_path: Path) -> None:
    run, out = CliRunner(), str(tmp_path / "peg.fmu")
    done = run.invoke(app, ["fmu", "export", "peg_in_hole", "-o", out, "--platform", "linux64"])
    assert done.exit_code == 0, done.output
    assert inside(Path(out)) == ["binaries/linux64/peg_in_hole.so"]
    told = run.invoke(app, ["fmu", "info", out]).output
    assert "  platforms  linux64: x86_64, glibc 2." in told
    wrong = run.invoke(app, ["fmu", "export", "peg_in_hole", "-o", out, "--platform", "darwin64"])
    assert wrong.exit_code == 1 and "--platform darwin64" in wrong.output
    both = run.invoke(app, ["fmu", "export", "peg_in_hole", "-o", out, "--platform", "linux64", "--pythonfmu"])
    assert both.exit_code == 1 and "--platform is for native binaries" in both.output


def test_info_survives_a_damaged_binary(two_binaries: Path, model: Model, tmp_path: Path) -> None:
    info = describe_fmu(export_fmu(model, tmp_path / "all.fmu"))
    assert info.platforms == ("linux64", "win64")
    assert info.needs["linux64"].startswith("x86_64, glibc 2.")
    assert info.needs["win64"].startswith("pegs.dll cannot be read: the file ")
    assert "             win64: pegs.dll cannot be read" in str(info)


def test_the_same_fmu_at_another_date(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the date fixed, nothing of time or place is left in the file."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first = export_fmu(model, tmp_path / "a.fmu").read_bytes()
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert export_fmu(model, "b.fmu").read_bytes() == first


# ---- the command line of the build ---------------------------------------------------------------


@pytest.mark.parametrize(("arguments", "told"), [
    (["--platform", "win32"], "platform 'win32': must be one of linux64, aarch64-linux, win64, darwin64"),
    (["--all", "--compiler", "g++"], "--compiler is for this platform's own build"),
    (["--all", "--platform", "win64"], "not allowed with argument"),
])
def test_wrong_arguments(arguments: list[str], told: str) -> None:
    done = subprocess.run([sys.executable, "-m", "contactlib.fmu.build", *arguments], capture_output=True, text=True)
    assert done.returncode != 0 and told in done.stderr


def test_inexact_functions_are_those_of_libm() -> None:
    """What IEEE 754 rounds correctly is not among them: it has the same bits everywhere."""
    assert {"sin", "pow", "hypot"} < INEXACT
    assert not INEXACT & {"sqrt", "floor", "ceil", "fmod", "remainder", "nextafter", "fmin", "fmax", "trunc", "fabs"}
