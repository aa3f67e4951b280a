"""Part E: loading photographs to the GPU, compared with torch's DataLoader."""

import os
import pathlib
import re
import shlex
import statistics
import tarfile

from machine import PACKED, ROOT

TITLE = "images/s of photographs (224 px, random crop, flip) into the GPU"
# So small that the loader is the bottleneck.
NETWORK = ("model.name=vit_tiny_patch16_224", "model.patch_size=32", "model.embed_dim=32",
           "model.depth=1", "model.num_heads=1")
ARCHIVES = (PACKED / "photographs.tar", ROOT / "../shared/data/imagenet-sample.tar")
FEW = 64
BATCH = 256


def generated(folder):
    """Writes JPEG files of smooth noise, about as large as photographs."""
    import numpy
    from PIL import Image

    random = numpy.random.default_rng(0)
    for index in range(256):
        target = folder / f"train/class{index % 4}"
        target.mkdir(parents=True, exist_ok=True)
        coarse = random.integers(0, 256, (48, 64, 3), dtype=numpy.uint8)
        Image.fromarray(coarse).resize((500, 375), Image.BICUBIC).save(
            target / f"{index:04d}.jpg", quality=95)


def photographs(machine):
    """Returns a folder with train/ and val/ of JPEG files, and the name of their source."""
    folder = machine.folder()
    archive = next((path for path in ARCHIVES if path.exists()), None)
    if archive is None:
        generated(folder)
    else:
        with tarfile.open(archive) as tar:
            files = [member for member in tar if member.isfile()]
            # Few files are repeated, so that an epoch has batches.
            times = 1 if machine.quick else -(-2 * BATCH // len(files))
            for member in files[:FEW] if machine.quick else files:
                name = pathlib.PurePosixPath(member.name)
                target = folder / "train" / name.parent.name
                target.mkdir(parents=True, exist_ok=True)
                photograph = tar.extractfile(member).read()
                for index in range(times):
                    (target / f"{index}-{name.name}").write_bytes(photograph)
    # The run evaluates one batch at its end, which must have the same classes.
    (folder / "val").symlink_to("train")
    return folder, archive.name if archive else "generated"


def ours(machine, folder, words):
    batch, steps = (16, 8) if machine.quick else (BATCH, 60)
    run = machine.vitrain(
        words, [*NETWORK, f"data.batch_size={batch}", f"run.max_steps={steps}", "log.every=2",
                "train.precision=bf16", "checkpoint.every=1dur", "eval.every=1dur",
                "eval.batches=1"],
        config=recipe(machine))
    records = [r for r in run.records("train") if r["step"] > steps // 3]
    return {
        "images/s": statistics.median(r["images_per_second"] for r in records),
        "waits for images": f"{100 * statistics.mean(r['data_wait'] for r in records):.0f} %"}


def recipe(machine):
    """Writes a recipe with an image folder, random crops and flips."""
    path = machine.work / "photographs.yaml"
    path.write_text(
        "run: {epochs: 1000}\n"
        "data:\n  train: {kind: folder}\n  eval: {kind: folder}\n"
        "  augment: {crop: resized, flip: 0.5}\n"
        "optim: {name: adamw, lr: 1.0e-4}\nschedule: {name: constant}\n")
    return path


def packed(machine, folder):
    """Packs the folder. Returns the options with which vitrain reads the archives,
    which `data pack` prints at its end."""
    out = machine.folder() / "packed"
    run = machine.command(
        [ROOT / "build/release/vitrain", "data", "pack", "-cfg", recipe(machine), "-data_path",
         folder, "-out", out], machine.environment(ours=True))
    line = next(line for line in reversed(run.output.splitlines()) if "-set" in line)
    return shlex.split(re.sub(r"^.*?(?=-set)", "", line))


def theirs(machine, folder):
    workers = 0 if machine.quick else len(os.sched_getaffinity(0))
    batch, batches, skip = (16, 4, 1) if machine.quick else (BATCH, 30, 8)
    result = machine.peer(
        "gpu/peer_loader.py", "--data", folder / "train", "--batch", batch, "--workers", workers,
        "--batches", batches, "--skip", skip)
    return {**result, "workers": workers}


def run(part):
    machine = part.machine
    folder, origin = photographs(machine)
    peer = {}

    def with_torch():
        peer.update(theirs(machine, folder))
        return dict(peer)

    def beside(words):
        values = ours(machine, folder, words)
        if peer:
            values["ratio"] = values["images/s"] / peer["images/s"]
        return values

    part.measure(f"torch's DataLoader, files ({origin})", 60, with_torch)
    part.measure("vitrain, files", 40, lambda: beside(["-data_path", folder]))
    part.measure("vitrain, packed", 40, lambda: beside(packed(machine, folder)))
