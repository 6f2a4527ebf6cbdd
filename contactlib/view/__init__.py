"""The viewer: a run as one page for the browser, which needs no network (docs/view.md)."""

from contactlib.view.live import write_live_page
from contactlib.view.page import Page, write_page

__all__ = ["Page", "write_live_page", "write_page"]
