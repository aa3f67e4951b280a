#!/usr/bin/env python3
"""Writes mobilevit.safetensors and mobilevit.csv: see ../family_cases.py."""

import pathlib
import sys

from timm.models.byobnet import ByobNet, ByoModelCfg
from timm.models.mobilevit import (
    _inverted_residual_block, _mobilevit_block, _mobilevitv2_block)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write


def small(name, size, features, *blocks):
    cfg = ByoModelCfg(blocks=blocks, stem_chs=8, stem_type="3x3", stem_pool="",
                      downsample="", act_layer="silu", num_features=features)
    return Case(name, ByobNet, size, cfg=cfg, drop_path_rate=DROP_PATH)


# The sides of the last stage are odd: it is resized around its patches.
write("mobilevit", [
    small("mobilevit", (40, 56), 40,
          _inverted_residual_block(d=2, c=16, s=1, br=2.0),
          _mobilevit_block(d=1, c=24, s=2, transformer_dim=16,
                           transformer_depth=2, patch_size=2, br=2.0),
          _mobilevit_block(d=1, c=32, s=2, transformer_dim=24,
                           transformer_depth=1, patch_size=2)),
    small("mobilevitv2", (24, 40), 0,
          _inverted_residual_block(d=2, c=16, s=1, br=2.0),
          _mobilevitv2_block(d=1, c=32, s=2, transformer_depth=2),
          _mobilevitv2_block(d=1, c=48, s=2, transformer_depth=1)),
], names_of("mobilevit_", "mobilevitv2_"))
