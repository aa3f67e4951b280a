#!/usr/bin/env python3
"""Writes beit.safetensors and beit.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(patch_size=8, embed_dim=16, depth=2, num_heads=2,
             drop_path_rate=DROP_PATH)

write("beit", [
    Case("beit", "beit_base_patch16_224", (24, 40), fixed=True, **SMALL),
    Case("beit_v2", "beitv2_large_patch16_224", 32, fixed=True, **SMALL),
], names_of("beit_", "beitv2_"))
