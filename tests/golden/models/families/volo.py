#!/usr/bin/env python3
"""Writes volo.safetensors and volo.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write
from timm.models.volo import VOLO

write("volo", [
    # First tokens 5 x 6: windows that end outside, and some that do not.
    Case("volo", VOLO, (40, 48), fixed=True, layers=(2, 1, 0, 1),
         embed_dims=(8, 12, 12, 12), num_heads=(2, 3, 3, 3), stem_hidden_dim=4,
         drop_path_rate=DROP_PATH),
], names_of("volo_"))
