"""The page of a recovered run has a banner that names what is missing; the page of a whole run has none."""

import signal
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from contactlib import IncompleteWarning, read_result
from contactlib.results import recover
from contactlib.view import bundle, write_page
from tests.results.endless import endless
from tests.view.runs import data_of, gallery, recorded
from tests.view.view_browser import browser, missing, open_page

if reason := missing():
    pytest.skip(reason, allow_module_level=True)


@pytest.fixture(scope="module")
def opened():
    if not (bundle.BUNDLE / bundle.CODE).is_file():
        pytest.skip("the page's code is not bundled: make viewer")
    with browser() as found:
        yield found


def recovered(source):
    """The result of what is left of a run."""
    target = recover(source)
    with pytest.warns(IncompleteWarning, match="frames are here"):
        return read_result(target)


def test_the_page_of_a_killed_run_says_that_it_did_not_end(opened, tmp_path):
    path = tmp_path / "killed.clr"
    with subprocess.Popen([sys.executable, "-c", endless(gallery), path], stdout=subprocess.PIPE, text=True) as process:
        while int(process.stdout.readline()) < 30:
            pass
        process.send_signal(signal.SIGKILL)
    result = recovered(f"{path}.part")
    assert len(result) >= 30
    view = open_page(opened, write_page(result, tmp_path / "page.html").path, 390, 844)
    text = f"the run did not end; its first {len(result)} frames are here"
    assert view.page.is_visible("#problem") and view.page.inner_text("#problem") == text
    # above the view, which it does not hide
    banner, stage = (view.page.locator(name).bounding_box() for name in ("#problem", "#stage"))
    assert banner["y"] + banner["height"] <= stage["y"] + 0.5 and banner["width"] == 390
    assert view.do("viewer.recording.frames") == len(result) and view.problems == []
    view.page.context.close()


def test_the_page_of_a_damaged_file_names_the_lost_column(opened, tmp_path):
    """A changed byte in a column of the wrenches: its values are lost, and are neither shown nor drawn as zero."""
    whole = recorded(gallery(), tmp_path / "run.clr")
    column = whole.table("wrenches").column_names.index("ball.f[3]")
    content = bytearray(whole.path.read_bytes())
    content[_middle_of_column(whole, "wrenches", column)] ^= 0xFF
    whole.path.write_bytes(content)
    result = recovered(whole.path)
    page = write_page(result, tmp_path / "page.html")
    _, arrays = data_of(page.path.read_text())
    assert np.isnan(arrays["f"][0, 2]).all() and np.isfinite(arrays["f"][0, :2]).all()
    view = open_page(opened, page.path)
    said = view.page.inner_text("#problem")
    assert said == result.incomplete and "damaged" in said and "ball.f[3]" in said
    view.do("viewer.inspector.select(0)")
    shown = view.page.locator("#card .f span").all_inner_texts()
    assert shown[2] == "\u2013" and "\u2013" not in shown[:2] and view.problems == []
    view.page.context.close()


def _middle_of_column(result, table, number):
    """Place of a byte in the file within the data of a column."""
    from pyarrow.parquet import ParquetFile

    with zipfile.ZipFile(result.path) as file:
        member = file.getinfo(f"{table}.parquet")
        with file.open(member) as opened:
            chunk = ParquetFile(opened).metadata.row_group(0).column(number)
        header = result.path.read_bytes()[member.header_offset + 26:member.header_offset + 30]
    start = member.header_offset + 30 + int.from_bytes(header[:2], "little") + int.from_bytes(header[2:], "little")
    return start + chunk.data_page_offset + chunk.total_compressed_size // 2


def test_the_page_of_a_whole_run_has_no_banner(opened, tmp_path):
    view = open_page(opened, write_page(recorded(gallery(), tmp_path / "whole.clr"), tmp_path / "page.html").path)
    assert not view.page.is_visible("#problem") and view.page.inner_text("#problem") == ""
    view.page.context.close()
