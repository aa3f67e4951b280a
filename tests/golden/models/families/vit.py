#!/usr/bin/env python3
"""Writes vit.safetensors and vit.csv (DeiT too): see ../family_cases.py."""

import pathlib
import re
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write
from timm.models.vision_transformer import (
    DiffParallelScalingBlock, ParallelScalingBlock, ResPostBlock)

# Differential attention rounds its share to fp32, which the other numbers are not.
torch.Tensor.float = torch.Tensor.double

SMALL = dict(patch_size=8, embed_dim=16, depth=2, num_heads=2,
             drop_path_rate=DROP_PATH)
# Hybrids, other positions, and encoders without classifier.
OTHERS = re.compile(
    r"_r\d+_|_resnet|relpos|rope|radio|_pe_|_ss_|vit_\w*pe_|"
    r"dinov3|sapiens2|lingbot|_mci_|_r_s16")


def vit(name, model, size=40, **more):
    return Case(name, model, size, fixed=True, **dict(SMALL, **more))


write("vit", [
    vit("vit_gap", "vit_medium_patch16_gap_240"),
    vit("vit_reg_gap", "vit_medium_patch16_reg4_gap_256"),
    vit("vit_avg", "vit_base_patch16_224", global_pool="avg"),
    vit("vit_clip", "vit_base_patch32_clip_quickgelu_224"),
    vit("vit_siglip", "vit_base_patch16_siglip_224"),
    vit("vit_siglip_gap", "vit_so400m_patch16_siglip_gap_256", mlp_ratio=3),
    vit("vit_map", "vit_so150m_patch16_reg4_map_256"),
    vit("vit_dinov2", "vit_giant_patch14_reg4_dinov2", mlp_ratio=3),
    # Images that are no whole number of patches.
    vit("vit_rest", "vit_so400m_patch14_siglip_384", size=(47, 36), mlp_ratio=3),
    vit("vit_rest_gap", "vit_so400m_patch14_siglip_gap_384", size=44, mlp_ratio=3),
    vit("vit_qk_norm", "vit_small_patch16_224", qk_norm=True),
    vit("vit_xp", "vit_base_patch16_xp_224"),
    vit("vit_parallel", "vit_pwee_patch16_reg1_gap_256", mlp_ratio=3),
    vit("vit_parallel_token", "vit_base_patch16_224", block_fn=ParallelScalingBlock,
        qk_norm=True, init_values=0.1),
    vit("vit_differential", "vit_dwee_patch16_reg1_gap_256"),
    vit("vit_differential_token", "vit_base_patch16_224", attn_layer="diff",
        qk_norm=True),
    vit("vit_differential_parallel", "vit_dpwee_patch16_reg1_gap_256"),
    vit("vit_differential_parallel_token", "vit_base_patch16_224",
        block_fn=DiffParallelScalingBlock),
    vit("vit_pairs", "vit_small_patch16_18x2_224"),
    vit("vit_post_norm", "vit_base_patch16_rpn_224"),
    vit("vit_post_norm_token", "vit_base_patch16_224", block_fn=ResPostBlock),
    vit("vit_no_last_norm", "vit_intern300m_patch14_448"),
    vit("vit_tipsv2", "vit_base_patch14_reg1_tipsv2"),
    vit("flexivit", "flexivit_small"),
    vit("deit_distilled", "deit_tiny_distilled_patch16_224"),
    vit("deit3", "deit3_small_patch16_224"),
], names_of("vit_", "flexivit_", "deit_", "deit3_", but=[OTHERS]))
