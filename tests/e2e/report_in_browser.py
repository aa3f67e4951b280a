#!/usr/bin/env python3
"""Opens reports in a headless Chromium: they draw, say nothing on the console, load nothing, fit a
phone, and open at once.

usage: report_in_browser.py VITRAIN [FOLDER [RUN...]]

Five runs of 300 epochs whose names, classes and paths try to break the page are made up, and two
whose evaluations have 1,000 and 21,841 classes; with RUNs these are reported as well. Screenshots go to FOLDER where it is given. Exit 77, with the reason,
where there is no browser.
"""

import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

import browser

HOSTILE = "</script><script>window.broken=1</script>\"'><img src=x onerror=\"window.broken=2\"><!--${1}"
SLOWEST = 1000  # milliseconds until everything is drawn
LARGEST = 5_000_000  # bytes of a page
MANY = (1000, 21841)  # classes of ImageNet, and of all its names
NARROWEST_CARD = 120  # pixels of a mistake on a phone
EPOCHS, RECORDS, STEPS = 300, 20, 160


def png(width, height, shade, description=b""):
    """Bytes of a picture in stripes, with a description as a sheet of cards has one."""
    rows = b"".join(
        b"\0" + bytes(v for x in range(width)
                      for v in ((x // 24 * 40 + shade) % 256, (y // 24 * 30) % 256, shade))
        for y in range(height))
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    described = chunk(b"iTXt", b"vitrain\0\0\0\0\0" + description) if description else b""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + described + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def records(seed, rate):
    """Records as a run writes them."""
    noise = random.Random(seed)
    total = EPOCHS * STEPS
    yield {"kind": "start", "version": "0.1.0", "mode": "train", "command": HOSTILE, "model": "vit_tiny",
           "parameters": 821642, "workers": 2, "devices": HOSTILE, "precision": "fp32",
           "classes": 10, "train_samples": 10240, "global_batch": 64, "steps_per_epoch": STEPS,
           "total_steps": total, "lr": rate}
    for epoch in range(1, EPOCHS + 1):
        for k in range(1, RECORDS + 1):
            step = (epoch - 1) * STEPS + k * STEPS // RECORDS
            done = step / total
            loss = 2.3 * math.exp(-4 * done * (1 + 0.1 * seed)) + 0.1 * noise.random()
            yield {"kind": "train", "step": step, "epoch": epoch, "batch": step % STEPS, "loss": loss,
                   "count": 512, "lr": rate * (1 + math.cos(math.pi * done)) / 2,
                   "step_seconds": 0.05, "images_per_second": 1280 + 50 * noise.random(),
                   "data_wait": 0.02 * noise.random(), "comm_bytes": 3290688,
                   "comm_wait": 0.1 * noise.random(), "grad_norm": 1 + noise.random(),
                   "samples_hash": "00", "top1": 100 - 40 * loss, "top5": 100 - 10 * loss}
        loss += 0.1
        yield {"kind": "eval", "step": epoch * STEPS, "epoch": epoch, "weights": "raw",
               "precision": "fp32", "count": 2000, "non_finite": 0, "seconds": 0.5, "loss": loss,
               "top1": 100 - 35 * loss, "top5": 100 - 8 * loss,
               "correct1": int(2000 - 700 * loss), "correct5": 1900}
    yield {"kind": "done", "step": total, "exit": 0, "seconds": 2500.0, "best": None}


def make_run(vitrain, folder, seed):
    rate = 0.001 * (seed + 1)
    name = HOSTILE.replace("/", "_")[:60] if seed == 0 else f"run_{seed}-20260131-12000{seed}"
    run = folder / name
    (run / "evaluation").mkdir(parents=True)
    recipe = pathlib.Path(__file__).resolve().parents[2] / "configs" / "shapes_vit_tiny.yaml"
    shown = subprocess.run(
        [vitrain, "config", "show", "-cfg", recipe, "-set", f"optim.lr={rate}",
         "-set", f"run.seed={seed}", "-set", "data.train.kind=folder",
         "-set", f"data.train.path={json.dumps(HOSTILE)}"],
        capture_output=True, text=True, check=True).stdout
    (run / "config.yaml").write_text(shown)
    (run / "environment.json").write_text(json.dumps(
        {"vitrain": "0.1.0", "processor": HOSTILE, "working_folder": HOSTILE,
         "started": f"2026-01-31T12:00:0{seed}+0000"}))
    with open(run / "metrics.jsonl", "w") as file:
        for record in records(seed, rate):
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
    names = [HOSTILE.replace('"', "'"), "cat, small"] + [f"class {i}" for i in range(8)]
    quoted = [f'"{name}"' for name in names]
    rows = [",".join([""] + quoted)]
    for i, label in enumerate(quoted):
        rows.append(",".join([label] + [str(180 if i == k else (i * k) % 4) for k in range(10)]))
    (run / "evaluation" / "confusion.csv").write_text("\n".join(rows) + "\n")
    (run / "evaluation" / "per_class.csv").write_text(
        "class,count,correct,accuracy\n"
        + "".join(f"{name},200,{180 - 3 * i},0\n" for i, name in enumerate(quoted)))
    (run / "evaluation" / "mistakes.png").write_bytes(png(480, 192, 90) if seed % 2 else sheet(20))
    (run / "evaluation" / "reliability.csv").write_text(
        "low,high,count,confidence,accuracy\n"
        + "".join(f"{i / 15},{(i + 1) / 15},{i * i},{(i + .5) / 15},{i / 15}\n" for i in range(15)))
    (run / "samples.png").write_bytes(png(480, 288, 30))
    return run


def sheet(count):
    """A sheet of cards, as mistakes.png is one."""
    cards = [{"left": 10 + 200 * (i % 8), "top": 10 + 200 * (i // 8), "width": 176, "height": 176,
              "scale": 1, "title": f"/data/some/where/{HOSTILE}/{i}.jpeg",
              "lines": [{"text": "is " + HOSTILE, "share": -1, "colour": "288c4a"},
                        {"text": "a class", "share": 0.9, "colour": "c83e30"}]}
             for i in range(count)]
    return png(1620, 10 + 200 * ((count + 7) // 8), 60, json.dumps(cards).encode())


def make_run_of_classes(vitrain, folder, classes):
    """A run whose evaluation has many classes, each with names as ImageNet has them."""
    run = make_run(vitrain, folder, 1)
    run = run.rename(folder / f"classes_{classes}-20260131-120000")
    names = [f"class number {i}, another name of it" for i in range(classes)]
    evaluation = run / "evaluation"
    with open(evaluation / "per_class.csv", "w") as file:
        file.write("class,count,correct,accuracy,predicted,precision,f1,confused_with,confused\n")
        for i, name in enumerate(names):
            file.write(f'"{name}",50,{i % 50},0,50,0,0,"{names[i - 1]}",{i % 7}\n')
    (evaluation / "confusion.csv").unlink()
    if classes <= 2000:
        with open(evaluation / "confusion.csv", "w") as file:
            file.write(",".join(["label"] + [f'"{name}"' for name in names]) + "\n")
            for i, name in enumerate(names):
                row = ["0"] * classes
                row[i], row[i - 1], row[i * 7 % classes] = str(i % 50), str(i % 7), "3"
                file.write(f'"{name}",' + ",".join(row) + "\n")
    else:
        with open(evaluation / "confusion_pairs.csv", "w") as file:
            file.write("label,prediction,count,class,predicted_class\n")
            for i in range(classes):
                file.write(f"{i},{i},{i % 50 + 1},a,a\n{i},{i * 7 % classes},3,a,b\n")
    (evaluation / "mistakes.png").write_bytes(sheet(48))
    return run


def write_report(vitrain, runs, output):
    subprocess.run([vitrain, "report", *runs, "-output", output], check=True,
                   stdout=subprocess.DEVNULL)
    return output


CANVASES_DRAWN = """[...document.querySelectorAll('.plot')].map((plot) => {
  const canvas = plot.querySelectorAll('canvas')[0];
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3]) seen.add(pixels[i] >> 4);
  return seen.size;
})"""


def problems_of(page, path, charts, use):
    """What is wrong with a report as this page shows it."""
    page.open(path)
    drawn = page.value("document.documentElement.dataset.drawn")
    if drawn is None:
        yield "its script did not come to its end"
        yield from page.complaints()
        return
    colours = page.value(CANVASES_DRAWN)
    if len(colours) != charts or min(colours) < 2:
        yield f"expected {charts} charts with lines, got {colours}"
    if page.value("window.broken") is not None:
        yield "a text from outside was run"
    if page.value("document.documentElement.scrollWidth > innerWidth"):
        yield f"is {page.value('document.documentElement.scrollWidth')} pixels wide"
    yield from problems_of_pictures(page)
    if use:
        yield from problems_in_use(page)
    yield from page.complaints()


def problems_of_pictures(page):
    """Too small to see, or light on a dark page."""
    cards = page.value("[...document.querySelectorAll('.cards')].slice(0, 1).flatMap((grid) => "
                       "[...grid.querySelectorAll('img')].map((i) => i.getBoundingClientRect().width))")
    if cards and min(cards) < NARROWEST_CARD:
        yield f"shows pictures that are {min(cards):.0f} pixels wide"
    dark = page.value("matchMedia('(prefers-color-scheme: dark)').matches")
    heat = page.value("(() => { const i = document.querySelector('.heat img');"
                      " return i && i.currentSrc !== i.src; })()")
    if heat is not None and heat != dark:
        yield "its confusion matrix is of the other colour scheme"
    if page.value("document.querySelector('p.why') && document.querySelector('section p.why').textContent"):
        yield f"says {page.value('document.querySelector(`section p.why`).textContent')}"


def problems_in_use(page):
    """Switches everything, points at a curve, zooms, and takes all of it back."""
    for pressed in ("false", "true"):
        page.value("[...document.querySelectorAll('button')].forEach((b) => b.click())")
        page.value("[...document.querySelectorAll('button')].forEach((b) => b.click())")
    box = page.value("(() => { const r = document.querySelector('.plot canvas').getBoundingClientRect();"
                     " return [r.x, r.y, r.width, r.height]; })()")
    x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
    page.mouse("mouseMoved", x, y)
    if not page.value("document.querySelector('.chart .place').textContent"):
        yield "says nothing about the place under the pointer"
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 60, y, button="left")
    page.mouse("mouseReleased", x + 60, y, button="left", clickCount=1)


def median_time(page, path):
    times = []
    for _ in range(5):
        page.open(path)
        times.append(int(page.value("document.documentElement.dataset.drawn")))
    return sorted(times)[2]


def check(program, vitrain, folder, given):
    failures = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        runs = [make_run(vitrain, work / "runs", seed) for seed in range(5)]
        many = [make_run_of_classes(vitrain, work / "many", classes) for classes in MANY]
        reports = {"compared": (write_report(vitrain, runs, work / "compared.html"), 7),
                   "hostile": (write_report(vitrain, runs[:1], work / "hostile.html"), 7)}
        for classes, run in zip(MANY, many):
            path = write_report(vitrain, [run], work / f"classes{classes}.html")
            reports[f"classes{classes}"] = (path, 7)
            size = path.stat().st_size
            print(f"{classes} classes: {size / 1e6:.2f} MB")
            if size > LARGEST:
                failures.append(f"{classes} classes make a page of {size} bytes, allowed {LARGEST}")
        for i, run in enumerate(given):
            path = write_report(vitrain, [run], work / f"given{i}.html")
            reports[f"given{i}"] = (path, None)
        screens = {"light": {}, "dark": {"dark": True},
                   "phone": {"width": 390, "height": 844, "phone": True}}
        with browser.Browser(program) as chromium:
            for screen, options in screens.items():
                for name, (path, charts) in reports.items():
                    page = chromium.page(**options)
                    if charts is None:
                        page.open(path)
                        charts = page.value("document.querySelectorAll('.plot').length")
                    use = screen == "light"
                    failures += [f"{name}, {screen}: {problem}"
                                 for problem in problems_of(page, path, charts, use)]
                    if folder:
                        page.open(path)
                        page.screenshot(pathlib.Path(folder) / f"{name}-{screen}.png")
                    page.close()
            page = chromium.page()
            for name in ["compared"] + [f"classes{classes}" for classes in MANY]:
                time = median_time(page, reports[name][0])
                print(f"{name}: {reports[name][0].stat().st_size / 1e6:.2f} MB, "
                      f"drawn {time} ms after the start of the page")
                if time > SLOWEST:
                    failures.append(f"{name} takes {time} ms to draw, allowed {SLOWEST}")
    return failures


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = browser.find()
    if not program:
        print(f"skipped: no browser (none of {', '.join(browser.NAMES)} on PATH; "
              "Debian: apt-get install chromium)")
        sys.exit(77)
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    failures = check(program, sys.argv[1], folder, sys.argv[3:])
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
