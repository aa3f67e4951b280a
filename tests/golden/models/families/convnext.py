#!/usr/bin/env python3
"""Writes convnext.safetensors and convnext.csv: see ../family_cases.py."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

WIDTHS = dict(dims=(8, 12, 16, 20), drop_path_rate=DROP_PATH)
PLAIN = dict(WIDTHS, depths=(1, 1, 1, 1))

write("convnext", [
    Case("convnext", "convnext_tiny", 71, **dict(WIDTHS, depths=(1, 2, 1, 1))),
    Case("convnext_conv", "convnext_atto_ols", 66, depths=(1, 1, 2, 1),
         dims=(24, 12, 16, 20), drop_path_rate=DROP_PATH),
    Case("convnext_head", "convnext_large_mlp", 64, head_hidden_size=10, **PLAIN),
    Case("convnext_norm_first", "convnext_tiny_hnf", 64, **PLAIN),
    Case("convnextv2", "convnextv2_nano", 64, **dict(WIDTHS, depths=(1, 1, 2, 1))),
    # Left out: other norms than those of the family here.
], names_of("convnext_", "convnextv2_", but=[re.compile(r"_rms")]))
