#!/usr/bin/env python3
"""Writes swin.safetensors and swin.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(depths=(2, 2, 1, 2), embed_dim=8, num_heads=(1, 2, 4, 4),
             window_size=(5, 5, 2, 7), drop_path_rate=DROP_PATH)

write("swin", [
    Case("swin", "swin_tiny_patch4_window7_224", 52, fixed=True, **SMALL),
    # Grids 10x19, 5x10, 3x5, 2x3: the second moves its windows along one side.
    Case("swin_wide", "swin_tiny_patch4_window7_224", (40, 76), fixed=True, **SMALL),
], names_of("swin_"))
