"""Every page of the built book in a real browser: light, dark and phone."""

import functools
import http.server
import os
import shutil
import threading
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from playwright.sync_api import Error, sync_playwright

HTML = Path(__file__).parents[1] / "_build" / "html"
PAGES = sorted(str(path.relative_to(HTML)) for path in HTML.rglob("*.html") if "_static" not in path.parts)
MODES = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}, "is_mobile": True},
}
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site():
    handler = functools.partial(QuietHandler, directory=HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        try:
            launched = playwright.chromium.launch(executable_path=found, args=FLAGS)
        except Error as error:
            reason = error.message.splitlines()[0]
            message = f"no Chromium could be started; looked for {', '.join(names)}, then playwright's own: {reason}"
            if os.environ.get("CI") == "true":
                pytest.fail(message)
            pytest.skip(message)
        yield launched
        launched.close()


@pytest.fixture
def open_page(site, browser):
    """Opens a page in a mode; returns it with the list of all that went wrong, which grows as it is used."""
    contexts = []

    def open_(path, mode):
        context = browser.new_context(**MODES[mode])
        contexts.append(context)
        page, faults = context.new_page(), []

        def route(route):
            if urlsplit(route.request.url).hostname == "127.0.0.1":
                return route.continue_()
            faults.append(f"request to another host: {route.request.url}")
            return route.abort()

        def on_console(message):
            if message.type in ("error", "warning"):
                faults.append(f"console {message.type}: {message.text}")

        def on_response(response):
            if response.status >= 400:
                faults.append(f"status {response.status}: {response.url}")

        page.route("**/*", route)
        page.on("console", on_console)
        page.on("pageerror", lambda error: faults.append(f"uncaught error: {error}"))
        page.on("response", on_response)
        page.on("requestfailed", lambda request: faults.append(f"failed request: {request.url}"))
        page.goto(f"{site}/{path}", wait_until="networkidle")
        return page, faults

    yield open_
    for context in contexts:
        context.close()


def test_the_book_is_built():
    assert "index.html" in PAGES, f"{HTML} has no index.html: run `make book` first"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", PAGES)
def test_page_loads_cleanly(open_page, path, mode):
    page, faults = open_page(path, mode)
    assert not faults
    broken = page.evaluate("[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)")
    assert not broken, "these images did not load"
    theme = page.evaluate("document.documentElement.dataset.theme")
    assert theme == MODES[mode]["color_scheme"]
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= MODES[mode]["viewport"]["width"], "the page scrolls sideways"


@pytest.mark.parametrize("path", PAGES)
def test_page_with_code_offers_its_notebook(open_page, path, site):
    page, _ = open_page(path, "light")
    cells = page.locator("div.cell").count()
    links = [link.get_attribute("href") for link in page.locator("a.btn-download-notebook-button").all()]
    assert bool(links) == bool(cells), "a page offers an .ipynb file exactly when it has code cells"
    for link in links:
        answer = page.request.get(f"{site}/{Path(path).parent}/{link}")
        assert answer.ok, f"{link} answered {answer.status}"
        notebook = nbformat.reads(answer.text(), as_version=4)
        nbformat.validate(notebook)
        assert sum(cell.cell_type == "code" for cell in notebook.cells) == cells
