#!/usr/bin/env python3
"""Writes mixer.safetensors and mixer.csv: see ../family_cases.py."""

import pathlib
import sys

import torch
from timm.layers import GatedMlp, GluMlp
from timm.models.mlp_mixer import (
    Affine, MlpMixer, ResBlock, SpatialGatingBlock)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(patch_size=8, num_blocks=2, drop_path_rate=DROP_PATH)

write("mixer", [
    Case("mixer", MlpMixer, 40, fixed=True, calls=2, embed_dim=20, **SMALL),
    Case("gmixer", MlpMixer, 40, fixed=True, calls=2, embed_dim=24,
         mlp_ratio=(1.0, 4.0), mlp_layer=GluMlp, act_layer=torch.nn.SiLU, **SMALL),
    Case("resmlp", MlpMixer, 40, fixed=True, calls=2, embed_dim=24, mlp_ratio=4,
         block_layer=ResBlock, norm_layer=Affine, **SMALL),
    Case("gmlp", MlpMixer, 40, fixed=True, embed_dim=24, mlp_ratio=6,
         block_layer=SpatialGatingBlock, mlp_layer=GatedMlp, **SMALL),
], names_of("mixer_", "gmixer_", "resmlp_", "gmlp_"))
