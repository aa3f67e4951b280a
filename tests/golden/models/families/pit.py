#!/usr/bin/env python3
"""Writes pit.safetensors and pit.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(base_dims=(6, 6, 6), heads=(1, 2, 4), mlp_ratio=2,
             drop_path_rate=DROP_PATH)

write("pit", [
    # 6x4 patches, then 3x2, 2x1.
    Case("pit", "pit_ti_224", (59, 46), fixed=True, depth=(1, 2, 2), **SMALL),
    Case("pit_distilled", "pit_b_distilled_224", (41, 50), fixed=True,
         depth=(2, 1, 1), **SMALL),
], names_of("pit_"))
