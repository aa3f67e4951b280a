#!/usr/bin/env python3
"""Writes poolformer.safetensors and poolformer.csv: see ../family_cases.py."""

import pathlib
import sys

from timm.models.metaformer import GroupNorm1, GroupNorm1NoBias, MetaFormer
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(depths=(1, 2, 1, 1), use_mlp_head=False, drop_path_rate=DROP_PATH)
# What timm's functions of these names set.
V1 = dict(SMALL, downsample_norm=None, mlp_act=nn.GELU, mlp_bias=True,
          norm_layers=GroupNorm1, layer_scale_init_values=1e-5,
          res_scale_init_values=None)
V2 = dict(SMALL, norm_layers=GroupNorm1NoBias)

write("poolformer", [
    # The third stage keeps the size of the images, as it keeps the width.
    Case("poolformer", MetaFormer, (70, 49), dims=(8, 12, 12, 16), **V1),
    Case("poolformerv2", MetaFormer, (49, 66), dims=(8, 12, 20, 16), **V2),
], names_of("poolformer_", "poolformerv2_"))
