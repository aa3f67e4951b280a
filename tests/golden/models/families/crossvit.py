#!/usr/bin/env python3
"""Writes crossvit.safetensors and crossvit.csv: see ../family_cases.py."""

import pathlib
import sys

from timm.models.crossvit import CrossVit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(img_scale=(1.0, 2 / 3), patch_size=(12, 16), embed_dim=(8, 12),
             num_heads=(2, 3), mlp_ratio=(2, 1, 1), drop_path_rate=DROP_PATH)


def crossvit(name, size, stages, **arguments):
    return Case(name, CrossVit, size, fixed=True, depth=stages,
                **dict(SMALL, **arguments))


write("crossvit", [
    # 4x2 small patches, and 2x1 large ones of two thirds of the image.
    crossvit("crossvit", (48, 24), [[1, 2, 0]] * 2),
    crossvit("crossvit_dagger", (48, 72), [[2, 2, 0]], multi_conv=True),
], names_of("crossvit_"))
