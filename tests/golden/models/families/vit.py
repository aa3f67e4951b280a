#!/usr/bin/env python3
"""Writes vit.safetensors and vit.csv (DeiT too): see ../family_cases.py."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(patch_size=8, embed_dim=16, depth=2, num_heads=2,
             drop_path_rate=DROP_PATH)
# Hybrids, other positions, other blocks, encoders without classifier, and
# images that are no whole number of patches.
OTHERS = re.compile(
    r"_r\d+_|_resnet|relpos|rope|_xp_|_rpn_|18x2|_d\w*wee|_pwee|_dlittle|tipsv2|radio|"
    r"intern|_pe_|patch14_siglip(_gap)?_384|_ss_|vit_\w*pe_|"
    r"dinov3|sapiens2|lingbot|_mci_|_r_s16")


def vit(name, model, **more):
    return Case(name, model, 40, fixed=True, **dict(SMALL, **more))


write("vit", [
    vit("vit_gap", "vit_medium_patch16_gap_240"),
    vit("vit_reg_gap", "vit_medium_patch16_reg4_gap_256"),
    vit("vit_avg", "vit_base_patch16_224", global_pool="avg"),
    vit("vit_clip", "vit_base_patch32_clip_quickgelu_224"),
    vit("vit_siglip", "vit_base_patch16_siglip_224"),
    vit("vit_siglip_gap", "vit_so400m_patch16_siglip_gap_256", mlp_ratio=3),
    vit("vit_map", "vit_so150m_patch16_reg4_map_256"),
    vit("vit_dinov2", "vit_giant_patch14_reg4_dinov2", mlp_ratio=3),
    vit("flexivit", "flexivit_small"),
    vit("deit_distilled", "deit_tiny_distilled_patch16_224"),
    vit("deit3", "deit3_small_patch16_224"),
], names_of("vit_", "flexivit_", "deit_", "deit3_", but=[OTHERS]))
