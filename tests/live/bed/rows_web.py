"""The rows in a web page: a server on the loopback for browsers, with the verbs of the other toolkits."""

from __future__ import annotations

import http.server
import json
import queue
import threading
from pathlib import Path
from typing import Any

PAGE = """<!doctype html><meta charset=utf-8><title>bed rows</title>
<style>li{display:flex}dialog{width:90%;height:80%}</style><ul id=rows></ul><dialog id=over>Really?</dialog><script>
const list = document.getElementById('rows'), over = document.getElementById('over')
const row = name => [...list.children].find(r => r.firstChild.textContent === name)
function add(name, at) {
  const make = tag => document.createElement(tag), r = make('li'), label = make('span'), button = make('button')
  label.textContent = name; button.textContent = 'Pick'
  button.onclick = () => fetch('/clicked', {method: 'POST', body: label.textContent})
  r.append(label, button); list.insertBefore(r, list.children[at] || null)
}
const verbs = {
  rows: a => { list.replaceChildren(); a.names.forEach((n, i) => add(n, i)) },
  sort: a => a.names.forEach(n => list.append(row(n))),
  insert: a => add(a.name, a.at),
  rename: a => { row(a.old).firstChild.textContent = a.new },
  dialog: a => { over.close(); if (a.open) over.showModal() },
}
async function go() {
  for (;;) {
    const asked = await (await fetch('/next')).json()
    if (asked.verb) { verbs[asked.verb](asked.arguments); await fetch('/done', {method: 'POST', body: '1'}) }
  }
}
go()
</script>"""
WAIT_S = 10.0


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that is gone hangs up in the middle: that is no fault."""


class Page:
    """A page and the conversation with it. `ask` blocks: call it in a thread."""

    def __init__(self, html: str = PAGE) -> None:
        self.used: list[str] = []
        self._asked: queue.Queue[dict[str, Any]] = queue.Queue()
        self._done: queue.Queue[str] = queue.Queue()
        page = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = html.encode()
                kind = "text/html"
                if self.path == "/next":
                    body, kind = json.dumps(page.next()).encode(), "application/json"
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                said = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if self.path == "/clicked":
                    page.used.append(said)
                else:
                    page._done.put(said)
                self.send_response(204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def next(self) -> dict[str, Any]:
        """What the page is to do next; nothing after a second."""
        try:
            return self._asked.get(timeout=1)
        except queue.Empty:
            return {}

    def ask(self, verb: str, **arguments: object) -> Any:
        """Command the page and wait until it has done it; what it answers, as JSON."""
        if verb == "clicked":
            return list(self.used)
        if verb == "rows":
            self.used.clear()
        self._asked.put({"verb": verb, "arguments": arguments})
        return json.loads(self._done.get(timeout=WAIT_S))

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


def firefox(profile: Path, url: str) -> list[str]:
    """The command of Firefox with a fresh profile that greets nobody."""
    profile.mkdir(parents=True, exist_ok=True)
    wishes = {
        "browser.aboutwelcome.enabled": False,
        "browser.shell.checkDefaultBrowser": False,
        "datareporting.policy.dataSubmissionEnabled": False,
        "browser.startup.homepage_override.mstone": "ignore",
        "browser.startup.page": 0,
        "app.update.enabled": False,
        "termsofuse.bypassNotification": True,
    }
    lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in wishes.items()]
    (profile / "user.js").write_text("\n".join(lines))
    return ["firefox-esr", "--no-remote", "--profile", str(profile), url]


def chromium(profile: Path, url: str, *, app: bool = True) -> list[str]:
    """The command of Chromium with a fresh profile and a tree, as an application of that page or as a browser.

    Root may not have its sandbox.
    """
    return [
        "chromium",
        "--no-sandbox",
        "--ozone-platform=wayland",
        "--no-first-run",
        "--force-renderer-accessibility",
        f"--user-data-dir={profile}",
        f"--app={url}" if app else url,
    ]
