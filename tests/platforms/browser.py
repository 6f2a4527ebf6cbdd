"""Runs a page in headless Chromium, from a server on 127.0.0.1 that the page sends its results to."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

from tests.platforms.builds import need

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)
REMEDY = "apt-get install chromium"


class Handler(SimpleHTTPRequestHandler):
    """Serves files by their address, and keeps what the page posts. A post to /done ends the run."""

    def __init__(self, *given, files: Mapping[str, Path], posted: dict[str, bytes], done: threading.Event, **named):
        self.files, self.posted, self.done = files, posted, done
        super().__init__(*given, **named)

    def translate_path(self, path):
        return str(self.files.get(unquote(path.partition("?")[0]), "/nowhere"))

    def do_POST(self):
        self.posted[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        if self.path == "/done":
            self.done.set()

    def log_message(self, *_):
        pass


def run_page(files: Mapping[str, Path], page: str, timeout: float = 300) -> dict[str, bytes]:
    """Open `page`, one of the addresses of `files`, until it posts to /done; return what it has posted."""
    program = need("chromium", REMEDY)
    posted: dict[str, bytes] = {}
    done = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, files=files, posted=posted, done=done))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="contactlib_chromium_") as profile:
        address = f"http://127.0.0.1:{server.server_port}{page}"
        command = [program, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0", address]
        with open(Path(profile) / "log.txt", "w+") as log:
            browser = subprocess.Popen(command, stdout=log, stderr=log)
            try:
                if not done.wait(timeout):
                    log.seek(0)
                    raise TimeoutError(f"the page {page} has not finished in {timeout} s: {log.read()[-2000:]}")
            finally:
                browser.terminate()
                browser.wait(30)
                server.shutdown()
                server.server_close()
    return posted
