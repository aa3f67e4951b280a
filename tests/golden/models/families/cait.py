#!/usr/bin/env python3
"""Writes cait.safetensors and cait.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

write("cait", [
    # A block's two branches have one drop path between them.
    Case("cait", "cait_xxs24_224", (24, 40), fixed=True, calls=2, patch_size=8,
         embed_dim=24, depth=2, num_heads=3, drop_path_rate=DROP_PATH),
    Case("cait_deep", "cait_m36_384", 32, fixed=True, calls=2, patch_size=16,
         embed_dim=16, depth=1, num_heads=2, depth_token_only=1,
         drop_path_rate=DROP_PATH),
], names_of("cait_"))
