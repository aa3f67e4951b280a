#!/usr/bin/env python3
"""Writes flexivit.safetensors and flexivit_positions.safetensors, the positions
that timm's own loader makes of it for images of other sizes (H x W).

Needs torch 2.11, timm 1.0.31, safetensors:
    python3 tests/golden/weights/make_flexivit_files.py
"""

import pathlib
import sys

import timm
import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from make_files import CLASSES, fill

SIZES = ((24, 48), (64, 64))


def make(size, **more):
    return timm.create_model(
        "flexivit_small", img_size=size, patch_size=8, embed_dim=6, depth=1,
        num_heads=1, num_classes=CLASSES, **more)


def main():
    file = HERE / "flexivit.safetensors"
    save_file(fill(make(40), torch).state_dict(), file)
    save_file({
        f"{height}x{width}": make(
            (height, width), pretrained=True,
            pretrained_cfg_overlay=dict(
                file=str(file), custom_load=False, num_classes=CLASSES),
        ).pos_embed.detach()
        for height, width in SIZES}, HERE / "flexivit_positions.safetensors")


if __name__ == "__main__":
    main()
