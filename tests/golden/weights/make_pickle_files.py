#!/usr/bin/env python3
"""Writes pickles/: one state dict in torch's format before 1.6 with every
protocol of pickle that it takes, and checkpoints whose settings hold members of
an Enum, nested classes and their objects, bound methods and functions of the
standard library. None of them is called by the file.

Needs torch (2.15).

    python3 tests/golden/weights/make_pickle_files.py
"""

import argparse
import enum
import functools
import os
import pathlib
import subprocess

import torch

HERE = pathlib.Path(__file__).resolve().parent / "pickles"


class Phase(enum.Enum):
    TRAIN = "train"


class Flags(enum.IntFlag):
    A = 1
    B = 2


class Outer:
    class Inner:
        def __init__(self):
            self.depth = 3

        @classmethod
        def make(cls):
            return cls()

        def step(self):
            return self.depth

    class Kind(enum.Enum):
        WIDE = 1


def state():
    return {"weight": torch.arange(6.0).reshape(2, 3), "bias": torch.tensor([7.0, 8.0])}


def checkpoint():
    inner = Outer.Inner()
    return {
        "model": state(),
        "settings": {
            "phase": Phase.TRAIN,
            "flags": Flags.A | Flags.B,
            "kind": Outer.Kind.WIDE,
            "class": Outer.Inner,
            "object": inner,
            "method": inner.step,
            "class_method": Outer.Inner.make,
            "partial": functools.partial(Outer.Inner.make),
            "builtin": [].append,
            "folder": os.getcwd,
            "process": subprocess.Popen,
        },
    }


def trained(**others):
    return {"state_dict": state(), "epoch": 3} | others


# What programs that train save besides the weights: timm's train.py, timm's
# networks' own pretrained_cfg, torchvision's references, DeiT's main.py.
SETTINGS = {
    "timm": trained(arch="resnet50.a1_in1k", args=argparse.Namespace(
        model="resnet50.a1_in1k", mean=[0.1, 0.2, 0.3], std=None,
        interpolation="bilinear", crop_pct=None, img_size=160,
        input_size=None, num_classes=None)),
    "timm_cfg": trained(pretrained_cfg={
        "architecture": "resnet18", "input_size": (3, 96, 128),
        "mean": (0.1, 0.2, 0.3), "crop_pct": 0.5, "url": None,
        "num_classes": 2, "label_names": ["cat", "dog"]}),
    "torchvision": trained(args=argparse.Namespace(
        model="vit_b_16", interpolation="bilinear", val_resize_size=256,
        val_crop_size=224)),
    "deit": trained(args=argparse.Namespace(
        model="deit_small_patch16_224", input_size=192)),
}


def main():
    HERE.mkdir(exist_ok=True)
    for name, content in SETTINGS.items():
        torch.save(content, HERE / f"settings_{name}.pth")
    for protocol in range(1, 6):
        torch.save(state(), HERE / f"legacy_{protocol}.pth", pickle_protocol=protocol,
                   _use_new_zipfile_serialization=False)
    for protocol in range(2, 6):
        torch.save(checkpoint(), HERE / f"objects_{protocol}.pth", pickle_protocol=protocol)
        torch.save(checkpoint(), HERE / f"legacy_objects_{protocol}.pth",
                   pickle_protocol=protocol, _use_new_zipfile_serialization=False)


if __name__ == "__main__":
    main()
