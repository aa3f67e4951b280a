#!/usr/bin/env python3
"""Draws docs/images/terminal.svg and report.png from a run on a terminal.

usage: tools/draw_pictures.py VITRAIN           trains configs/shapes_vit_tiny.yaml, draws them again
       tools/draw_pictures.py --check VITRAIN   reports whether the terminal output has changed

terminal.svg shows a terminal of 100 columns with its colours: the start, the first epochs, the line
of the running epoch and the end. report.png is the top of the run's report.html in Chromium. The
check trains a few steps and compares the shape of the lines, without numbers, names and facts of the
machine.
"""

import html
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

import terminal

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
COLUMNS = 100
INK, FAINT, PAPER = "#d7dde4", "#8793a0", "#14181d"
GREEN = "#7bc47f"
# Colours of the SGR codes in lib/logging/terminal_style.cpp.
COLOURS = {"": INK, "1": "#ffffff", "36": "#6cc6d6", "32": GREEN, "33": "#e0b34a", "1;31": "#ef7b74",
           "2": FAINT}
LEFT_OUT = "\u22ee"
LIVE = re.compile(r"epoch \d+/\d+ [\u2501\u2578\u2500]")
SHORT = ["-set", "data.train.count=320", "-set", "data.eval.count=64", "-set", "run.epochs=2"]


def train(vitrain, more, work):
    """Returns the lines of a run, the states of its live line, its folder."""
    work = pathlib.Path(work)
    (work / "configs").symlink_to(ROOT / "configs")
    command = [str(vitrain), "-cfg", "configs/shapes_vit_tiny.yaml", "-devices", "cpu:2", *more]
    lines, live = terminal.record(command, work, COLUMNS, {"OMP_NUM_THREADS": "1"})
    run = next((work / "runs").iterdir())
    return lines, [line for line in live if LIVE.match(terminal.plain(line))], run


# --- drawing -----------------------------------------------------------------


def svg(width, height, body):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="monospace">'
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>{body}</svg>\n'
    )


def pieces(line):
    """(column, text, colour) of what stands together in one colour."""
    at = 0
    while at < len(line):
        end = at
        while end < len(line) and line[end][1] == line[at][1]:
            end += 1
        text = "".join(character for character, _ in line[at:end])
        if text.strip():
            yield at + len(text) - len(text.lstrip()), text.strip(), line[at][1]
        at = end


def draw_terminal(lines):
    size, across, down, left = 13, 7.83, 18, 18
    body = []
    for i, line in enumerate(lines):
        for column, text, colour in pieces(line):
            # textLength: the same width with any font of the reader.
            body.append(
                f'<text x="{left + column * across:.1f}" y="{30 + i * down}" font-size="{size}" '
                f'fill="{COLOURS[colour]}" textLength="{len(text) * across:.1f}" '
                f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{html.escape(text)}</text>')
        body.append("\n")
    return svg(int(COLUMNS * across) + 2 * left, len(lines) * down + 32, "".join(body))


def without_root(line):
    """Returns a line without the path of this checkout, which printed commands begin with."""
    at = terminal.plain(line).find(f"{ROOT}/")
    return line if at < 0 else line[:at] + line[at + len(f"{ROOT}/"):]


def said(text, colour):
    return [(character, colour) for character in text]


def shown_lines(lines, live):
    """What the picture shows of a run."""
    text = [terminal.plain(line) for line in lines]
    epochs = [i for i, line in enumerate(text) if re.match(r"epoch \d+/\d+  loss", line)]
    kept = epochs[2]
    # Shows the epoch after these in progress, half completed.
    running = [line for line in live if terminal.plain(line).startswith(f"epoch {4}/")]
    return ([said("$ ./run_train_multi.sh", "1")] + lines[: kept + 1]
            + [running[len(running) // 2], said(LEFT_OUT, "2")]
            + [without_root(line) for line in lines[epochs[-1]:]])


def draw_report(page, picture):
    """Draws the top of a report as Chromium shows it on a light desktop."""
    subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--blink-settings=preferredColorScheme=1", "--virtual-time-budget=4000",
         "--window-size=1100,720", f"--screenshot={picture}", page.as_uri()],
        check=True, stderr=subprocess.DEVNULL)


# --- checking ----------------------------------------------------------------


def drawn_lines(picture):
    """The lines of a picture that draw_terminal() made, as text."""
    lines = []
    for row in picture.split("\n"):
        line = ""
        for x, text in re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)</text>', row):
            column = round((float(x) - 18) / 7.83)
            line += " " * (column - len(line)) + html.unescape(text)
        lines.append(line)
    return lines


def shape(line):
    """A line without what differs from run to run; None where nothing is left."""
    if LIVE.match(line):
        return None
    label = re.match(r"  (\S+(?: \S+)*)  +\S", line)
    if label:  # of the start and the end
        return f"label: {label.group(1)}"
    if not line.strip() or line.startswith(("    ", "$", LEFT_OUT, "vitrain ", "\u2500")):
        return None  # the rest of a wrapped line
    line = re.sub(r" in runs/\S+", " in RUN", line)
    return re.sub(r"\d[\d,.:]*", "0", line).replace("  (best so far)", "")


def live_labels(lines):
    return {word for line in lines if LIVE.match(line) for word in re.findall(r"  ([a-z][a-z0-9/]*) ", line)}


def check(vitrain):
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        print(f"skipped: no pseudo terminal can be opened here (is /dev/pts mounted?): {error}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        lines, live, _ = train(vitrain, SHORT, work)
    now = [terminal.plain(line) for line in lines]
    drawn = drawn_lines((IMAGES / "terminal.svg").read_text())
    there, here = ({shape(line) for line in some} - {None} for some in (drawn, now))
    problems = [f"docs/images/terminal.svg has a line that is not printed any more: {line}"
                for line in sorted(there - here)]
    problems += [f"docs/images/terminal.svg lacks a line that is printed: {line}"
                 for line in sorted(here - there)]
    shown = live_labels(drawn)
    if not shown or shown - live_labels([terminal.plain(line) for line in live]):
        problems.append(f"docs/images/terminal.svg: the live line has other parts: {sorted(shown)}")
    for problem in problems:
        print(problem)
    if problems:
        print("run tools/draw_pictures.py build/release/vitrain")
    sys.exit(1 if problems else 0)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        check(pathlib.Path(sys.argv[2]).resolve())
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        lines, live, run = train(pathlib.Path(sys.argv[1]).resolve(), [], work)
        IMAGES.mkdir(exist_ok=True)
        draw_report(run / "report.html", IMAGES / "report.png")
    while not lines[-1]:
        lines.pop()
    (IMAGES / "terminal.svg").write_text(draw_terminal(shown_lines(lines, live)))


if __name__ == "__main__":
    main()
