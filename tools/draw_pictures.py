#!/usr/bin/env python3
"""Draws the README's two pictures from a real run.

usage: tools/draw_pictures.py RUN_FOLDER TERMINAL_TEXT

RUN_FOLDER is a run of configs/shapes_vit_tiny.yaml, TERMINAL_TEXT what it
printed (plain text). Writes docs/images/terminal.svg and loss_curve.svg.
"""

import html
import json
import pathlib
import sys

IMAGES = pathlib.Path(__file__).resolve().parent.parent / "docs" / "images"
INK, FAINT, PAPER = "#d7dde4", "#8793a0", "#14181d"
BLUE, GREEN = "#5aa9e6", "#7bc47f"


def svg(width, height, body):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="monospace">'
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>{body}</svg>\n'
    )


def terminal(lines):
    """The text as a terminal window; `... ` stands for lines left out."""
    size, step, left = 13, 18, 18
    columns = max(len(line) for line in lines)
    body = []
    for i, line in enumerate(lines):
        colour = INK
        if line.startswith(("---", "...")):
            colour = FAINT
        elif line.startswith("done") or "best so far" in line:
            colour = GREEN
        elif line.startswith("vitrain") or line.startswith("$"):
            colour = BLUE
        body.append(
            f'<text x="{left}" y="{30 + i * step}" font-size="{size}" '
            f'fill="{colour}" xml:space="preserve">{html.escape(line)}</text>'
        )
    return svg(int(columns * 7.83) + 2 * left, len(lines) * step + 32, "".join(body))


def path(points):
    return "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in points)


def loss_curve(records):
    width, height, left, top, right, bottom = 760, 340, 60, 46, 62, 44
    train = [r for r in records if r["kind"] == "train"]
    evals = [r for r in records if r["kind"] == "eval"]
    last = max(r["step"] for r in train)
    highest = max(r["loss"] for r in train + evals)
    across = lambda step: left + (width - left - right) * step / last
    down = lambda share: top + (height - top - bottom) * (1 - share)
    body = [f'<text x="{left}" y="26" font-size="14" fill="{INK}">'
            f'shapes_vit_tiny: loss and top-1 over {last} steps</text>']
    for i in range(6):
        y = down(i / 5)
        body.append(f'<line x1="{left}" x2="{width - right}" y1="{y}" y2="{y}" stroke="#2a323b"/>'
                    f'<text x="{left - 8}" y="{y + 4}" font-size="12" fill="{FAINT}" '
                    f'text-anchor="end">{highest * i / 5:.2f}</text>'
                    f'<text x="{width - right + 8}" y="{y + 4}" font-size="12" fill="{GREEN}">'
                    f'{20 * i} %</text>')
    for i in range(6):
        body.append(f'<text x="{across(last * i / 5)}" y="{height - 18}" font-size="12" '
                    f'fill="{FAINT}" text-anchor="middle">{round(last * i / 5)}</text>')
    curves = [
        (train, "loss", highest, BLUE, "", "training loss"),
        (evals, "loss", highest, BLUE, "5 4", "evaluation loss"),
        (evals, "top1", 100, GREEN, "", "evaluation top-1"),
    ]
    for i, (rows, key, scale, colour, dash, name) in enumerate(curves):
        points = [(across(r["step"]), down(r[key] / scale)) for r in rows]
        body.append(f'<path d="{path(points)}" fill="none" stroke="{colour}" '
                    f'stroke-width="2" stroke-dasharray="{dash}"/>')
        x = width - right - 170
        y = down(0.62) + 20 * i
        body.append(f'<path d="M{x},{y - 4} h24" stroke="{colour}" stroke-width="2" '
                    f'stroke-dasharray="{dash}"/>'
                    f'<text x="{x + 32}" y="{y}" font-size="12" fill="{INK}">{name}</text>')
    return svg(width, height, "".join(body))


def main():
    run, text = map(pathlib.Path, sys.argv[1:3])
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    IMAGES.mkdir(exist_ok=True)
    lines = ["$ ./run_train_multi.sh"] + text.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("epoch"))
    shown = lines[: first + 6] + ["..."] + lines[-8:]
    (IMAGES / "terminal.svg").write_text(terminal(shown))
    (IMAGES / "loss_curve.svg").write_text(loss_curve(records))


if __name__ == "__main__":
    main()
