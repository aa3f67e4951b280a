#!/usr/bin/env python3
"""Kills runs at random instants, resumes them, and compares them with whole runs.

usage: bench/kill_runs.py [--vitrain FILE] [--seed N] [--mode NAME] RUNS

Each of RUNS runs of two workers gets SIGKILL in one of its processes: the supervisor
or a worker, after a random time. Then `-resume auto` continues it until it ends. Its
weights, optimizer state and average must have the bytes of a run that nobody killed,
its records the same numbers (times apart), and no process and no temporary folder may
be left. The last line is `N of RUNS runs equal`; the exit code is 1 if one is not.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEPS = 24
COMMON = {
    "run.name": "r",
    "run.max_steps": STEPS,
    "run.epochs": 100,
    "schedule.warmup": "4st",
    "checkpoint.every": "3st",
    "checkpoint.keep_last": 2,
    "eval.every": "8st",
    "data.batch_size": 8,
    "log.every": 2,
}
MODES = {
    "allreduce": {},
    "accumulate": {
        "train.accumulate": 2,
        "train.ema.decay": 0.9,
        "data.augment.mixup": 0.8,
    },
    "zero1": {"dist.zero1": True},
    "bf16": {"train.precision": "bf16", "model.drop_path": 0.1},
    "local_sgd": {"dist.sync.mode": "local_sgd", "dist.sync.period": 3},
    "elastic": {"run.determinism": "elastic", "data.batch_size": 2},
}
# What may differ between two runs of the same recipe.
TIMES = ("second", "time", "wait", "comm_", "memory", "date", "started", "run_folder")


def command(vitrain, mode, output):
    words = [vitrain, "-cfg", str(ROOT / "tests/e2e/files/tiny.yaml"), "-devices", "cpu:2"]
    for key, value in {**COMMON, **MODES[mode]}.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        words += ["-set", f"{key}={text}"]
    return words + ["-output", str(output)]


def run_folder(output):
    folders = [path for path in output.iterdir() if path.is_dir()] if output.exists() else []
    return folders[0] if len(folders) == 1 else None


def state_of(run):
    """Returns the bytes of the last checkpoint and the numbers of all records by kind.

    A thread writes checkpoints, so their records may stand behind those of later steps.
    """
    folder = run / "checkpoints" / f"step-{STEPS:09}"
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.safetensors"))}
    records = []
    for line in (run / "metrics.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record.get("kind") in ("train", "eval", "checkpoint"):
            records.append(
                {
                    key: value
                    for key, value in record.items()
                    if key != "path" and not any(word in key for word in TIMES)
                }
            )
    return files, sorted(records, key=lambda record: (record["kind"], record["step"]))


def differences(run, expected):
    """Returns what a finished run has that the whole one has not, as text; "" if nothing."""
    files, records = state_of(run)
    found = [name for name in expected[0] if files.get(name) != expected[0][name]]
    if len(records) != len(expected[1]):
        found.append(f"{len(records)} records instead of {len(expected[1])}")
    for own, other in zip(records, expected[1]):
        if own != other:
            found.append(f"record {json.dumps(own)[:200]} instead of {json.dumps(other)[:200]}")
            break
    for path in run.rglob("*"):
        if ".tmp" in path.name or path.name.startswith(".step-"):
            found.append(f"{path.name} is left")
    return ", ".join(found)


def processes_of(output):
    """Returns the processes whose command line names the folder: the workers' too."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if str(output).encode() in words + environment:
                found.append(int(entry.name))
    return found


def descendants(pid):
    """Returns a process and its children, the process first."""
    found = [pid]
    for parent in found:
        try:
            children = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text()
        except OSError:
            continue
        found += [int(child) for child in children.split()]
    return found


def wait_until_gone(pids, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.02)
    return False


def killed_run(words, output, delay, draw):
    """Starts a run, kills one of its processes, and resumes until it ends; returns a fault."""
    program = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    family = descendants(program.pid)
    victim = draw.choice(family)
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        pass
    code = program.wait(60)
    if not wait_until_gone(family, 10):
        return f"processes are left 10 s after the death of one (exit code {code})"
    for _ in range(3):
        if code == 0:
            return ""
        done = subprocess.run(
            words + ["-resume", "auto"], capture_output=True, timeout=120, check=False
        )
        code = done.returncode
        if code not in (0, 7):
            return f"-resume auto: exit code {code}: {done.stderr.decode()[-400:]}"
    return f"-resume auto: exit code {code}" if code != 0 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=int)
    parser.add_argument("--vitrain", default=str(ROOT / "build/release/vitrain"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", choices=MODES, help="only this one")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    modes = [arguments.mode] if arguments.mode else list(MODES)
    equal = 0
    with tempfile.TemporaryDirectory(prefix="vitrain-kill-") as temp:
        whole = {}
        for mode in modes:
            output = pathlib.Path(temp) / mode
            begun = time.monotonic()
            subprocess.run(
                command(arguments.vitrain, mode, output), check=True, capture_output=True
            )
            whole[mode] = (time.monotonic() - begun, state_of(run_folder(output)))
        for number in range(arguments.runs):
            mode = modes[number % len(modes)]
            seconds, expected = whole[mode]
            output = pathlib.Path(temp) / f"run-{number}"
            delay = draw.uniform(0.0, seconds)
            words = command(arguments.vitrain, mode, output)
            fault = killed_run(words, output, delay, draw)
            run = run_folder(output)
            if not fault:
                fault = (
                    f"run folders: {sorted(path.name for path in output.iterdir())}"
                    if run is None
                    else differences(run, expected)
                )
            left = processes_of(output)
            if left:
                fault += f" processes {left} are left"
            if fault:
                print(f"{mode}, killed after {delay:.2f} s: {fault}", flush=True)
            else:
                equal += 1
            shutil.rmtree(output, ignore_errors=True)
    print(f"{equal} of {arguments.runs} runs equal")
    return 0 if equal == arguments.runs else 1


if __name__ == "__main__":
    sys.exit(main())
