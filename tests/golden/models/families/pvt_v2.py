#!/usr/bin/env python3
"""Writes pvt_v2.safetensors and pvt_v2.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(embed_dims=(8, 12, 20, 16), num_heads=(1, 2, 5, 4),
             mlp_ratios=(2, 2, 1, 2), drop_path_rate=DROP_PATH)

write("pvt_v2", [
    # Sides that no stage divides: 20x13 tokens, then 10x7, 5x4, 3x2.
    Case("pvt_v2", "pvt_v2_b0", (78, 51), depths=(1, 2, 1, 1),
         sr_ratios=(4, 4, 2, 1), **SMALL),
    # Linear attention looks at more, and at less, than there is.
    Case("pvt_v2_li", "pvt_v2_b2_li", (74, 41), depths=(1, 1, 1, 2), **SMALL),
], names_of("pvt_v2_"))
