"""Shared by the parts of bench/gpu.sh: runs programs with a deadline, on the GPU or
with tests/fake_cuda, and collects their results in rows."""

import concurrent.futures
import contextlib
import json
import math
import os
import pathlib
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
FAKE = BUILD / "tests/fake_cuda"
# Folder of libraries and photographs in the archive of bench/gpu_pack.sh.
PACKED = ROOT / "packed"
# Characters shown of a row's values; the JSON file has all.
SHOWN = 400


class Failed(Exception):
    """A program ended with an unexpected exit code or result."""


class OutOfTime(Exception):
    """The part's deadline was reached; the text is the name of the killed program."""


class Run:
    """Result of a program: exit code, output, seconds; the run folder of vitrain, and
    the reports of the fake runtime."""

    def __init__(self, code, output, seconds, folder=None, reports=()):
        self.code, self.output, self.seconds = code, output, seconds
        self.folder, self.reports = folder, list(reports)

    def records(self, kind):
        """Records of this kind in metrics.jsonl. For a resumed run, set `folder` first."""
        with open(self.folder / "metrics.jsonl") as lines:
            records = [json.loads(line) for line in lines]
        return [r for r in records if r["kind"] == kind]

    def losses(self):
        """Losses of the training records; NaN if a record has none."""
        return [float("nan") if r["loss"] is None else float(r["loss"])
                for r in self.records("train")]


def torch_folders(torch):
    """Folders in which the wheels of torch and CUDA have their libraries."""
    return [torch / "lib", *sorted((torch.parent / "nvidia").glob("*/lib"))]


class Machine:
    """This machine with one GPU, or with the fake one."""

    def __init__(self, python, torch, fake, quick, work):
        self.python, self.torch = python, torch
        self.fake, self.quick = fake, quick
        self.work = pathlib.Path(work)
        self.deadline = float("inf")
        self.cores = len(os.sched_getaffinity(0))
        self.at_once = 1  # number of programs that run at the same time
        # Only the first visible GPU is used.
        self.gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or "0"

    def gpu_id(self):
        """The GPU's number or name for -gpus."""
        return "0" if self.fake else self.gpu

    def left(self):
        return self.deadline - time.monotonic()

    def folder(self):
        """Makes a temporary folder, removed at the end."""
        return pathlib.Path(tempfile.mkdtemp(dir=self.work))

    def environment(self, ours, reports=None, **more):
        """Environment of a program. `ours`: a program of vitrain, which loads torch's
        libraries from Python's wheels."""
        variables = dict(os.environ, CUDA_VISIBLE_DEVICES=self.gpu)
        if self.at_once > 1:
            variables.setdefault("OMP_NUM_THREADS", str(max(1, self.cores // self.at_once)))
        libraries = [*torch_folders(self.torch), PACKED / "lib"] if ours else []
        if self.fake:
            libraries.insert(0, FAKE)
            variables.update(
                LD_PRELOAD=str(FAKE / "libfake_cuda.so"), FAKE_CUDA_DEVICES="1",
                FAKE_CUDA_FOLDER=str(reports or self.folder()), CUDA_VISIBLE_DEVICES="0")
        if libraries:
            before = os.environ.get("LD_LIBRARY_PATH")
            variables["LD_LIBRARY_PATH"] = ":".join(
                [*map(str, libraries), *([before] if before else [])])
        variables.update({name: str(value) for name, value in more.items()})
        return variables

    def command(self, words, environment, codes=(0,)):
        """Runs a program; kills it and its children at the deadline."""
        started = time.monotonic()
        name = pathlib.Path(next(w for w in map(str, words) if w != self.python)).name
        if self.left() <= 0:
            raise OutOfTime(name)
        process = subprocess.Popen(
            list(map(str, words)), env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            start_new_session=True)
        try:
            output, _ = process.communicate(timeout=min(self.left(), 10_000))
        except BaseException as problem:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(problem, subprocess.TimeoutExpired):
                raise OutOfTime(name) from None
            raise
        run = Run(process.returncode, output, time.monotonic() - started)
        if codes and run.code not in codes:
            end = "\n".join(output.splitlines()[-12:])
            raise Failed(f"exit code {run.code}: {' '.join(map(str, words))}\n{end}")
        return run

    def vitrain(self, words, settings=(), config="bench_models", codes=(0,), before=(), **more):
        """Runs vitrain with options `words` and recipe `settings`, on the GPU unless
        `words` name devices."""
        output, reports = self.folder(), self.folder()
        config = config if "/" in str(config) else ROOT / f"configs/{config}.yaml"
        all_words = [*before, BUILD / "vitrain", "-cfg", config, "-output", output, *words]
        for setting in settings:
            all_words += ["-set", setting]
        run = self.command(
            all_words, self.environment(ours=True, reports=reports, **more), codes)
        run.folder = max(output.iterdir(), default=None, key=lambda path: path.name)
        run.reports = [json.loads(path.read_text()) for path in sorted(reports.glob("*.json"))]
        broken = [text for report in run.reports for text in report["violations"]]
        if broken:
            raise Failed("the fake runtime saw: " + "; ".join(broken))
        return run

    def program(self, name, *words):
        """Runs a built program of bench/."""
        return self.command([BUILD / "bench" / name, *words], self.environment(ours=True))

    def peer(self, script, *words, **more):
        """Runs a Python script of bench/. Returns the JSON of its last line of output."""
        run = self.command(
            [self.python, ROOT / "bench" / script, *words], self.environment(ours=False, **more))
        try:
            return json.loads(run.output.splitlines()[-1])
        except (IndexError, ValueError):
            raise Failed(f"{script} printed no result: {run.output[-500:]}") from None


class Part:
    """Rows of a part: each has a name, a state and values."""

    def __init__(self, letter, title, machine, seconds, only=""):
        self.letter, self.title, self.machine = letter, title, machine
        self.started = time.monotonic()
        machine.deadline = self.started + seconds
        self.rows, self.left_out = [], []
        self.only = only  # only rows whose names contain this text
        self.pool = None

    @contextlib.contextmanager
    def at_once(self):
        """Runs rows that are added in this context at the same time, on two cores each:
        for rows that are judged, not timed."""
        count = max(1, self.machine.cores // 2)
        self.machine.at_once = count
        with concurrent.futures.ThreadPoolExecutor(count) as self.pool:
            yield
        self.machine.at_once, self.pool = 1, None
        self.rows = [row for row in self.rows if row]

    def leave_out(self, name, reason):
        self.left_out.append({"name": name, "reason": reason})

    def measure(self, name, seconds, function):
        """Adds a row with the dict that `function` returns. `seconds`: its expected time;
        if less is left, the row is skipped and listed as left out."""
        self._row(name, seconds, lambda: ("measured", function()))

    def judge(self, name, seconds, function, arithmetic=True):
        """Same, for a function that returns (holds, values). With the fake runtime a row
        that needs arithmetic runs, but is not judged."""
        def judged():
            holds, values = function()
            if arithmetic and self.machine.fake:
                return "not judged", values
            return ("holds" if holds else "FAILS"), values

        self._row(name, seconds, judged)

    def _row(self, name, seconds, function):
        if self.only not in name:
            return
        self.rows.append(None)
        place = len(self.rows) - 1

        def fill():
            self.rows[place] = self._filled(name, seconds, function)

        if self.pool is None:
            fill()
            self.rows = [row for row in self.rows if row]
        else:
            self.pool.submit(fill)

    def _filled(self, name, seconds, function):
        if not self.machine.fake and self.machine.left() < seconds:
            self.leave_out(name, f"takes about {seconds} s, {self.machine.left():.0f} s are left")
            return None
        started = time.monotonic()
        try:
            state, values = function()
        except OutOfTime as late:
            self.leave_out(name, f"the deadline came before the end of {late}")
            return None
        except Failed as problem:
            state, values = "FAILS", {"why": str(problem)}
        except (LookupError, TypeError, ValueError, ZeroDivisionError, OSError) as problem:
            # The program succeeded, but its result does not have the expected form.
            state, values = "FAILS", {"why": repr(problem)}
        return {
            "name": name, "state": state, "values": in_json(values),
            "seconds": round(time.monotonic() - started, 1)}

    def failed(self):
        return any(row["state"] == "FAILS" for row in self.rows)

    def result(self):
        return {
            "part": self.letter, "title": self.title, "fake": self.machine.fake,
            "quick": self.machine.quick, "rows": self.rows, "left_out": self.left_out,
            "seconds": round(time.monotonic() - self.started, 1)}

    def show(self):
        note = ", over the fake runtime: no number of time, memory or loss means anything" \
            if self.machine.fake else ""
        print(f"\nPart {self.letter}: {self.title}{note}")
        width = max((len(row["name"]) for row in self.rows), default=0)
        for row in self.rows:
            values = ", ".join(f"{name} {shown(value)}" for name, value in row["values"].items())
            print(f"  {row['name']:<{width}}  {row['state']:<10}  {values[:SHOWN]}")
        for row in self.left_out:
            print(f"  left out: {row['name']}: {row['reason']}")
        print(f"  {self.result()['seconds']:.0f} s", flush=True)


def in_json(value):
    """Replaces non-finite numbers, which JSON does not have, by text."""
    if isinstance(value, dict):
        return {name: in_json(part) for name, part in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def shown(value):
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return "; ".join(f"{name} {shown(part)}" for name, part in value.items())
    return str(value)


def largest_difference(ours, theirs):
    """Returns the largest relative difference of two lists of numbers; inf if their
    lengths differ or a number is NaN."""
    if len(ours) != len(theirs) or not ours:
        return float("inf")
    worst = 0.0
    for a, b in zip(ours, theirs):
        difference = abs(a - b) / max(abs(b), 1e-12)
        worst = max(worst, difference if difference == difference else float("inf"))
    return worst
