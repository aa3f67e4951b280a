"""What the parts of bench/gpu.sh share: programs that are run on the device, or
over tests/fake_cuda, with a deadline, and rows of what they gave."""

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
# What bench/gpu_pack.sh puts beside the programs: libraries and photographs.
PACKED = ROOT / "packed"
# Letters of a row's values; the JSON file has all.
SHOWN = 400


class Failed(Exception):
    """A program that ended otherwise than it was to."""


class OutOfTime(Exception):
    """The part's deadline came first; the text is the program that it ended."""


class Run:
    """What a program left: exit code, output, time; of vitrain its records; of
    the fake runtime its reports."""

    def __init__(self, code, output, seconds, folder=None, reports=()):
        self.code, self.output, self.seconds = code, output, seconds
        self.folder, self.reports = folder, list(reports)

    def records(self, kind):
        """Of its metrics; of a run that went on in another's folder, set it first."""
        with open(self.folder / "metrics.jsonl") as lines:
            records = [json.loads(line) for line in lines]
        return [r for r in records if r["kind"] == kind]

    def losses(self):
        """NaN where a record has no number."""
        return [float("nan") if r["loss"] is None else float(r["loss"])
                for r in self.records("train")]


def torch_folders(torch):
    """Where the wheels of torch and CUDA keep their libraries."""
    return [torch / "lib", *sorted((torch.parent / "nvidia").glob("*/lib"))]


class Machine:
    """This machine: one GPU, or one that is not there."""

    def __init__(self, python, torch, fake, quick, work):
        self.python, self.torch = python, torch
        self.fake, self.quick = fake, quick
        self.work = pathlib.Path(work)
        self.deadline = float("inf")
        self.cores = len(os.sched_getaffinity(0))
        self.at_once = 1  # programs that share the cores
        # Several may be there; every part is about one.
        self.gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or "0"

    def gpu_id(self):
        """As the driver numbers or names it, for -gpus."""
        return "0" if self.fake else self.gpu

    def left(self):
        return self.deadline - time.monotonic()

    def folder(self):
        """A new one, gone when all is done."""
        return pathlib.Path(tempfile.mkdtemp(dir=self.work))

    def environment(self, ours, reports=None, **more):
        """Of a program; ours finds torch's libraries where Python has them."""
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
        """Runs a program, killed with its children at the deadline."""
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
        """A run of vitrain: its words, then settings of the recipe, on the GPU
        unless the words name devices."""
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
        """A program of bench/ that was built."""
        return self.command([BUILD / "bench" / name, *words], self.environment(ours=True))

    def peer(self, script, *words, **more):
        """A script under Python's torch. Returns the JSON that it prints last."""
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
        self.only = only  # text of the names of rows that are wanted
        self.pool = None

    @contextlib.contextmanager
    def at_once(self):
        """Rows that are added within run beside one another, two cores for each: for
        what is judged and not timed."""
        count = max(1, self.machine.cores // 2)
        self.machine.at_once = count
        with concurrent.futures.ThreadPoolExecutor(count) as self.pool:
            yield
        self.machine.at_once, self.pool = 1, None
        self.rows = [row for row in self.rows if row]

    def leave_out(self, name, reason):
        self.left_out.append({"name": name, "reason": reason})

    def measure(self, name, seconds, function):
        """Adds the values that the function gives: a dict. `seconds` are what it
        is expected to take; with less left it is left out, and said so."""
        self._row(name, seconds, lambda: ("measured", function()))

    def judge(self, name, seconds, function, arithmetic=True):
        """The same for one that gives (holds, values). Over the fake runtime what
        needs numbers is run and not judged."""
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
            # Of a program that ended well and left something else than it was to.
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
    """JSON has no number that is not finite."""
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
    """The largest relative difference of two lists of numbers, inf where one has
    more than the other or a number is missing."""
    if len(ours) != len(theirs) or not ours:
        return float("inf")
    worst = 0.0
    for a, b in zip(ours, theirs):
        difference = abs(a - b) / max(abs(b), 1e-12)
        worst = max(worst, difference if difference == difference else float("inf"))
    return worst
