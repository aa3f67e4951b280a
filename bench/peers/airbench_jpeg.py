"""Trains the CIFAR-10 network and recipe of the package airbench, Jordan's own
code for "94% on CIFAR-10" (arXiv:2404.00498), on the images of a folder.

usage: airbench_jpeg.py FOLDER [SEED]     FOLDER: train/CLASS/*, test/CLASS/*

The package uses one CUDA device in fp16. Without a GPU this script runs it on the
CPU, with fp32 weights and bf16 products (autocast): it replaces the package's
uses of devices, events and half precision, but not its computation. Prints a
line per epoch and, as the last line, the accuracy with its test-time
augmentation (flip and translate) in percent.
"""

import contextlib
import os
import pathlib
import sys
import tempfile
import time

import numpy
import torch
from PIL import Image


def pack(folder, out):
    """Writes the images and labels of `folder` in the format of the package's loader."""
    names = sorted(entry.name for entry in folder.iterdir())
    files = [(path, label) for label, name in enumerate(names)
             for path in sorted((folder / name).iterdir())]
    # The package computes its whitening from the first 5000 images, which must have
    # all classes, as in the original files.
    order = numpy.random.default_rng(0).permutation(len(files))
    images = numpy.stack([numpy.asarray(Image.open(files[i][0]).convert("RGB"))
                          for i in order])
    labels = [files[i][1] for i in order]
    torch.save({"images": torch.from_numpy(images),
                "labels": torch.tensor(labels), "classes": names}, out)


class Event:
    """The part of torch.cuda.Event that the package uses: milliseconds between two events."""

    def __init__(self, enable_timing=False):
        self.at = 0.0

    def record(self):
        self.at = time.monotonic()

    def elapsed_time(self, other):
        return 1e3 * (other.at - self.at)


def run_on_cpu():
    load = torch.load
    torch.load = lambda path, map_location=None: load(path, map_location="cpu")
    torch.cuda.Event = Event
    torch.cuda.synchronize = lambda: None
    torch.nn.Module.cuda = lambda self, *_: self
    torch.nn.Module.half = lambda self: self
    torch.Tensor.half = torch.Tensor.float


def in_bf16(make_net):
    """Runs only the network in bf16: the whitening's covariances need more precision."""
    def make():
        model = make_net()
        forward = model.forward
        model.forward = torch.autocast("cpu", torch.bfloat16)(forward)
        return model
    return make


def main():
    folder, seed = pathlib.Path(sys.argv[1]).resolve(), int((sys.argv[2:] or [1])[0])
    torch.manual_seed(seed)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    on_cpu = not torch.cuda.is_available()
    if on_cpu:
        run_on_cpu()
    import airbench
    from airbench import lib_airbench94

    with tempfile.TemporaryDirectory() as work, contextlib.chdir(work):
        os.mkdir("cifar10")
        pack(folder / "train", "cifar10/train.pt")
        pack(folder / "test", "cifar10/test.pt")
        loader = airbench.CifarLoader(
            "cifar10", train=True, batch_size=1024,
            aug={"flip": True, "translate": 2}, altflip=True)
        make_net = in_bf16(airbench.make_net94) if on_cpu else airbench.make_net94
        model = airbench.train94(loader, run=0, make_net=make_net)
        test = airbench.CifarLoader("cifar10", train=False)
        print(f"{100 * airbench.evaluate(model, test, tta_level=2):.2f}")


if __name__ == "__main__":
    main()
