#!/usr/bin/env python3
"""Runs commands on terminals of 60, 80 and 120 columns: lines fit, words stay whole, a line of each
epoch stays, and the end of a run, good or bad, says how to continue.

usage: at_a_terminal.py VITRAIN
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

TINY = pathlib.Path(__file__).resolve().parent / "files" / "tiny.yaml"
WIDTHS = (60, 80, 120)
LONG_WORD = re.compile(r" *(\w+ +)?\S+")  # a path that is longer than its line stays whole
SEPARATOR = re.compile("([/,=]) ")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def at_terminal(command, columns, kill=None, seconds=120):
    """(exit code, lines that stay) of a command; `kill`: (text, action) to do when it has come."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", LANG="C.UTF-8", NO_COLOR="1")
        os.environ.pop("COLUMNS", None)
        os.execv(command[0], [str(word) for word in command])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    text, end = "", time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other side is closed
            part = b""
        if not part:
            break
        text += part.decode("utf-8", "replace")
        if kill and kill[0] in text:
            kill[1](pid)
            kill = None
    else:
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    os.close(terminal)
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        shown = line.split("\r")[-1]  # what was drawn before is erased
        lines.append(ESCAPES.sub("", shown))
    return os.waitstatus_to_exitcode(status), lines


def words_of(lines):
    return " ".join(" ".join(lines).split())


def workers_of(pid):
    found = []
    for task in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((task / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == pid:
            found.append(int(task.name))
    return sorted(found)


def kill_a_worker(pid):
    os.kill(workers_of(pid)[1], signal.SIGKILL)


class Checks:
    def __init__(self, vitrain):
        self.vitrain = vitrain
        self.failures = []

    def expect(self, holds, what):
        if not holds:
            self.failures.append(what)

    def run(self, arguments, columns, **more):
        code, lines = at_terminal([self.vitrain, *arguments], columns, **more)
        for line in lines:
            fits = len(line) <= columns or LONG_WORD.fullmatch(line)
            self.expect(fits, f"{len(line)} columns of {columns}: {line}")
        return code, lines

    def message(self, arguments, columns, code):
        """A message is wrapped between the words that a pipe gets."""
        got, lines = self.run(arguments, columns)
        wide = words_of(at_terminal([self.vitrain, *arguments], 4000)[1])
        self.expect(got == code, f"{arguments} exits with {got}")
        # A long word is broken after a separator, without a blank.
        self.expect(SEPARATOR.sub(r"\1", words_of(lines)) == SEPARATOR.sub(r"\1", wide),
                    f"{columns} columns break words of: {wide}\n" + "\n".join(lines))

    def training(self, folder, columns):
        output = folder / f"good{columns}"
        code, lines = self.run(
            ["-cfg", TINY, "-devices", "cpu", "-set", f"run.output={output}", "-set", "run.epochs=3"], columns)
        text = "\n".join(lines)
        self.expect(code == 0, f"training exits with {code}: {text}")
        epochs = [line for line in lines if re.match(r"epoch \d+/3  loss ", line)]
        self.expect(len(epochs) == 3, f"{columns} columns: {len(epochs)} lines of 3 epochs: {text}")
        for line in epochs:
            for part in ("  loss ", "  lr ", "  time "):
                self.expect(part in line, f"{columns} columns: no{part}in {line}")
        run = next(output.iterdir())
        shell = words_of(lines).replace("\\ ", "")
        for command in (f"-resume {run} -set run.epochs=6", f"-eval -pretrained {run}", f"show {run}"):
            self.expect(command in shell, f"{columns} columns: no '{command}' in {text}")

    def failure(self, folder):
        output = folder / "bad"
        code, lines = self.run(
            ["-cfg", TINY, "-devices", "cpu:2", "-set", f"run.output={output}", "-set",
             "run.epochs=200", "-set", "checkpoint.every=10st"], 80,
            kill=("epoch 2/200", kill_a_worker))
        run = next(output.iterdir())
        text = "\n".join(lines)
        self.expect(code == 7, f"a killed worker ends with {code}: {text}")
        shell = words_of(lines).replace("\\ ", "")
        for command in (f"-resume {run}", f"-eval -pretrained {run}", f"show {run}"):
            self.expect(command in shell, f"no '{command}' in {text}")
        for columns in WIDTHS:
            lines = self.run(["runs", output], columns)[1]
            self.expect(len(lines) == 3, f"runs has {len(lines)} lines: {lines}")
        lines = self.run(["runs", output], 200)[1]
        self.expect("rank 1 killed by signal 9" in lines[1], f"no root cause: {lines[1]}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    checks = Checks(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for columns in WIDTHS:
            checks.message(["-cfg", TINY, "-set", "data.train.kind=folder", "-set",
                            "data.train.path=/there/is/no/such/folder/of/images"], columns, 3)
            checks.message(["-cfg", TINY, "-set", "optim.nam=adamw", "-set", "run.epoch=3"], columns, 2)
            checks.message(["--help"], columns, 0)
            checks.run(["-cfg", TINY, "-dry_run"], columns)
            checks.training(folder, columns)
        checks.failure(folder)
    for failure in checks.failures:
        print(failure)
    sys.exit(1 if checks.failures else 0)


if __name__ == "__main__":
    main()
