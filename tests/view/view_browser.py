"""Headless Chromium for the tests of the page and for docs/draw_view.py: software rendering, requests counted."""

import base64
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
#: ms; a machine without a graphics processor that is shared with other work is slow
PATIENCE = 300_000
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """The path of Chromium; Debian's wrapper script adds flags that no test needs."""
    found = [Path("/usr/lib/chromium/chromium"), *(Path(path) for name in NAMES if (path := shutil.which(name)))]
    return next((str(path) for path in found if path.is_file()), None)


def missing() -> str:
    """Why there is no browser, or an empty text."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed: pip install playwright"
    return "" if chromium() else "Chromium is not installed: apt-get install chromium"


class View:
    """A page in the browser, with all that it asked for and complained about."""

    def __init__(self, page, path):
        self.page, self.requests, self.problems = page, [], []
        page.route("**/*", self._answer)
        page.on("console", lambda message: message.type in ("error", "warning") and self._note(message.text))
        page.on("pageerror", lambda error: self._note(str(error)))
        page.goto(path.as_uri())
        self.wait("Boolean(globalThis.viewer) || document.getElementById('notice').textContent.includes('page')")

    def _answer(self, route):
        """Let the file itself pass, and block everything else."""
        if route.request.is_navigation_request() and route.request.url.startswith("file:"):
            route.continue_()
            return
        self.requests.append(route.request.url)
        route.abort()

    def _note(self, text):
        if "GPU stall due to ReadPixels" not in text:  # of Chromium, when a screenshot is taken
            self.problems.append(text)

    def do(self, script):
        return self.page.evaluate(script)

    def wait(self, condition):
        """Wait until a condition holds. Playwright's own wait evaluates a text, which the page forbids."""
        end = time.monotonic() + PATIENCE / 1000
        while not self.do(condition):
            assert time.monotonic() < end, f"not within {PATIENCE} ms: {condition}"
            self.page.wait_for_timeout(20)

    def notice(self):
        return self.do("document.getElementById('notice')?.textContent ?? ''")

    def drawn(self):
        """Wait until a new image has been drawn."""
        before = self.do("(viewer.stage.draw(), viewer.stage.images)")
        self.wait(f"viewer.stage.images > {before}")


@contextmanager
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=chromium(), args=FLAGS, timeout=PATIENCE)
        try:
            yield opened
        finally:
            opened.close()


def open_page(opened, path, width=800, height=600):
    context = opened.new_context(viewport={"width": width, "height": height})
    context.set_default_timeout(PATIENCE)
    return View(context.new_page(), path)


def pixels(view):
    """The drawn image (height, width, 3), from the renderer itself: no text, no controls."""
    size = view.do("""(() => {
        const { renderer, scene, camera } = viewer.stage, gl = renderer.getContext();
        renderer.render(scene, camera);
        const [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
        globalThis.image = new Uint8Array(4 * w * h);
        gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, globalThis.image);
        return [h, w];
    })()""")
    text = view.do("(() => { let s = ''; for (const x of image) s += String.fromCharCode(x); return btoa(s); })()")
    rows = np.frombuffer(base64.b64decode(text), np.uint8).reshape(*size, 4)
    return rows[::-1, :, :3].astype(int)
