"""A headless Chromium, driven over a pipe (Chrome DevTools Protocol). Standard library only."""

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """The program, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One opened page, and everything that it said."""

    def __init__(self, browser, width, height, dark, phone):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.target = target

    def call(self, method, **parameters):
        return self.browser.call(method, session=self.session, **parameters)

    def open(self, place):
        """A file's path, or an address."""
        self.browser.events.clear()
        address = str(place)
        if "://" not in address:
            address = pathlib.Path(place).resolve().as_uri()
        self.call("Page.navigate", url=address)
        self.browser.wait_for("Page.loadEventFired", self.session)

    def value(self, expression):
        """What it gives, or what its promise gives."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1})
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def complaints(self):
        """Errors and warnings of the console, exceptions, and requests to anywhere."""
        self.value("0")  # what was said before has arrived then
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            what = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(f"exception: {what['exceptionDetails']}")
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(f"console: {what['args']}")
            elif event["method"] == "Log.entryAdded":
                found.append(f"log: {what['entry']['text']}")
            elif event["method"] == "Network.requestWillBeSent":
                url = what["request"]["url"]
                if not url.startswith(("file:", "data:")):
                    found.append(f"request: {url}")
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)


class Browser:
    def __init__(self, program):
        self.events = []
        self.number = 0
        self.received = b""
        self.profile = tempfile.TemporaryDirectory(prefix="vitrain-browser-")
        there, self.out = os.pipe()
        self.back, here = os.pipe()
        # It reads commands from descriptor 3 and answers on 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{there} 4>&{here}', program, "--headless=new",
             "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
             "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe"],
            pass_fds=(there, here), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(there)
        os.close(here)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.out)
        os.close(self.back)
        for _ in range(20):  # its helpers may write to the very end
            try:
                self.profile.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def receive(self, seconds=30):
        """The next message."""
        end = time.monotonic() + seconds
        while b"\0" not in self.received:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("the browser says nothing")
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.received += part
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method, session):
        while not any(e.get("method") == method and e.get("sessionId") == session
                      for e in self.events):
            self.events.append(self.receive())

    def page(self, width=1280, height=900, dark=False, phone=False):
        return Page(self, width, height, dark, phone)
