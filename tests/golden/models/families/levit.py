#!/usr/bin/env python3
"""Writes levit.safetensors and levit.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write


def levit(name, model, size, *depths):
    return Case(name, model, size, fixed=True, embed_dim=(16, 24, 20), key_dim=4,
                num_heads=(2, 3, 2), depth=depths, drop_path_rate=DROP_PATH)


write("levit", [
    # Grids with odd sides: 7 x 5, 4 x 3, 2 x 2, and 3 x 5, 2 x 3, 1 x 2.
    levit("levit", "levit_128s", (112, 80), 0, 1, 1),
    levit("levit_conv_s8", "levit_conv_384_s8", (24, 40), 1, 0, 0),
    levit("levit_one_head", "levit_256d", 48, 0, 0, 1),
], names_of("levit_"))
