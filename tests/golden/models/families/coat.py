#!/usr/bin/env python3
"""Writes coat.safetensors and coat.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write


def calls(drop_path):
    """Attention and MLP, of one scale or of three."""
    return 6 if drop_path.startswith("parallel") else 2


def coat(name, model, size, **more):
    return Case(name, model, size, fixed=True, calls=calls,
                drop_path_rate=DROP_PATH, **more)


write("coat", [
    # No whole number of patches: 52 x 71 pixels, 13 x 17, 6 x 8, 3 x 4, 1 x 2.
    coat("coat_lite", "coat_lite_tiny", (52, 71), embed_dims=(8, 16, 24, 16),
         serial_depths=(2, 1, 1, 1), mlp_ratios=(3, 3, 2, 2)),
    coat("coat", "coat_tiny", (64, 96), embed_dims=(8, 16, 16, 16),
         serial_depths=(1, 1, 0, 1), parallel_depth=2, mlp_ratios=(3, 2, 2, 2)),
], names_of("coat_"))
