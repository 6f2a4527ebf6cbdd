"""FMUs that would fill memory or disk, or write elsewhere, are refused before anything of them is unpacked."""

import resource
import struct
import tracemalloc
import warnings
import zipfile
import zlib

import pytest

import contactlib
from contactlib.fmu import archive
from contactlib.fmu.export import export_fmu
from contactlib.fmu.info import describe_fmu
from contactlib.fmu.master import ContactFmu, CouplingError

XML = '<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g"/>'


def fmu(path, files):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        warnings.simplefilter("ignore")  # a name that is there twice
        for name, content in files:
            written.writestr(name, content)
    return path


def link(name):
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, 0o120777 << 16
    return entry


def bomb(path, size):
    """A modelDescription.xml of so many blanks, one MiB deflated again and again, in a zip file."""
    pack = zlib.compressobj(9, wbits=-15)
    block = pack.compress(b" " * (1 << 20)) + pack.flush(zlib.Z_FULL_FLUSH)
    body, name = block * (size >> 20) + pack.flush(), b"modelDescription.xml"
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(body), size, len(name), 0)
    local = b"PK\3\4" + fields + name + body
    directory = b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    path.write_bytes(local + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), len(local), 0))
    return path


def refusals(path):
    """What `info` and what `run` say, and the most memory that either took."""
    tracemalloc.start()
    with pytest.raises(ValueError, match="is not an FMU") as told:
        describe_fmu(path)
    with pytest.raises(CouplingError, match="is not an FMU") as run:
        ContactFmu(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return str(told.value), str(run.value), most


def test_1500_mb_of_xml_are_refused_early(tmp_path, monkeypatch):
    path = bomb(tmp_path / "bomb.fmu", 1500 << 20)
    assert path.stat().st_size < 4 << 20 and zipfile.ZipFile(path).infolist()[0].file_size == 1500 << 20
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    *said, most = refusals(path)
    assert all("its modelDescription.xml has 1500 MiB: at most 16 MiB are allowed" in text for text in said)
    assert most < 20 << 20 and resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 5.0
    assert [found.name for found in tmp_path.iterdir()] == ["bomb.fmu"]  # nothing was unpacked


@pytest.mark.parametrize(("files", "says"), [
    ([("../evil.txt", "x")], r"its file '../evil.txt' would be unpacked outside"),
    ([("/tmp/evil.txt", "x")], "its file '/tmp/evil.txt' would be unpacked outside"),
    ([("a\\..\\..\\evil.txt", "x")], "would be unpacked outside"),
    ([("C:evil.txt", "x")], "would be unpacked outside"),
    ([(link("resources/link"), "/etc/passwd")], "its file 'resources/link' is a link"),
    ([("modelDescription.xml", XML)], "it has the file 'modelDescription.xml' twice"),
    ([(f"resources/{i}", "") for i in range(10_001)], "it has 10002 files: at most 10000 are allowed"),
])
def test_archives_beyond_their_limits(tmp_path, files, says):
    path = fmu(tmp_path / "bad.fmu", [("modelDescription.xml", XML), *files])
    *said, _ = refusals(path)
    assert all(says in text for text in said)
    assert [found.name for found in tmp_path.iterdir()] == ["bad.fmu"]


def test_the_whole_is_limited_too(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_UNPACKED", 30 << 20)
    files = [(f"resources/{i}", bytes(8 << 20)) for i in range(4)]
    path = fmu(tmp_path / "big.fmu", [("modelDescription.xml", XML), *files])
    *said, _ = refusals(path)
    assert all("it has 32 MiB once it is unpacked: at most 30 MiB are allowed" in text for text in said)


@pytest.mark.parametrize(("xml", "says"), [
    ('<!DOCTYPE f [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + XML.replace('"m"', '"&b;"'), "document type"),
    ("<f>" + "<a/>" * 200_001 + "</f>", "has more than 200000 elements"),
    ("<f>", "its modelDescription.xml cannot be read"),
])
def test_descriptions_beyond_their_limits(tmp_path, xml, says):
    *said, _ = refusals(fmu(tmp_path / "bad.fmu", [("modelDescription.xml", xml)]))
    assert all(says in text for text in said)


def test_a_size_that_is_a_lie_is_not_believed(tmp_path):
    """The directory says 100 bytes of what unpacks to 20 MiB: no more than that is unpacked, and it is told."""
    path = fmu(tmp_path / "liar.fmu", [("modelDescription.xml", " " * (20 << 20))])
    content = bytearray(path.read_bytes())
    for mark, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<I", content, content.index(mark) + at, 100)
    path.write_bytes(content)
    *_, most = refusals(path)
    assert most < 8 << 20


def test_shipped_scenes_are_far_within(tmp_path):
    for scene in ("lee_snare", "cbm"):
        info = describe_fmu(export_fmu(contactlib.load(scene).compile(), tmp_path / f"{scene}.fmu"))
        assert info.files["modelDescription.xml"] < archive.MAX_XML / 8
