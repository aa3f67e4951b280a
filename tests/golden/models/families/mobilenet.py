#!/usr/bin/env python3
"""Writes mobilenet.safetensors and mobilenet.csv: see ../family_cases.py."""

import pathlib
import re
import sys
from functools import partial

import torch
from timm.models._efficientnet_blocks import SqueezeExcite
from timm.models._efficientnet_builder import decode_arch_def, round_channels
from timm.models.mobilenetv3 import MobileNetV3

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

HARD = partial(SqueezeExcite, gate_layer="hard_sigmoid")
V3_SE = partial(HARD, force_act_layer=torch.nn.ReLU, rd_round_fn=round_channels)
LCNET_SE = partial(HARD, force_act_layer=torch.nn.ReLU)


def network(stages, act=torch.nn.Hardswish, eps=1e-5, pad="", depth=1.0, **arguments):
    """What timm's names make, of other stages."""
    return MobileNetV3(
        block_args=decode_arch_def(stages, depth_multiplier=depth),
        num_features=24, stem_size=8, fix_stem=True,
        round_chs_fn=partial(round_channels, multiplier=1.0), act_layer=act,
        norm_layer=partial(torch.nn.BatchNorm2d, eps=eps), pad_type=pad,
        drop_path_rate=DROP_PATH, **arguments)


def v4(stages, act=torch.nn.ReLU, **arguments):
    return network(stages, act, head_bias=False, head_norm=True, **arguments)


V3 = [["ds_r1_k3_s2_e1_c16_se0.25_nre"],
      ["ir_r1_k3_s2_e4.5_c24_nre", "ir_r1_k3_s1_e3.67_c24_nre"],
      ["ir_r2_k5_s2_e4_c40_se0.25"], ["cn_r1_k1_s1_c48"]]
LCNET = [["dsa_r1_k3_s1_c16"], ["dsa_r2_k5_s2_c32_se0.25"]]
V4 = [["cn_r1_k3_s2_e1_c16", "cn_r1_k1_s1_e1_c16"],
      ["uir_r1_a5_k5_s2_e3_c24", "uir_r2_a0_k3_s1_e2_c24", "uir_r1_a3_k0_s1_e4_c24",
       "uir_r1_a0_k0_s1_e2_c24"]]
AVERAGE = [["er_r1_k3_s2_e4_c16"], ["uir_r1_a5_k5_s2_e3_c24", "uir_r1_a3_k0_s1_e4_c24"]]
HYBRID = [["er_r1_k3_s2_e4_c16"],
          ["uir_r1_a3_k5_s2_e3_c24", "mqa_r1_k3_h3_s1_v2_d8_c24", "mqa_r1_k3_h2_s1_d16_c24",
           "uir_r1_a3_k0_s1_e4_c24"]]

write("mobilenet", [
    Case("v3", partial(network, V3, se_layer=V3_SE), 61),
    Case("tf_v3", partial(network, V3, se_layer=V3_SE, eps=1e-3, pad="same"), (46, 61)),
    Case("deep", partial(network, V3, se_layer=V3_SE, depth=1.4), 48),
    Case("rw", partial(network, V3, se_layer=HARD, eps=1e-3, head_bias=False), 64),
    Case("lcnet", partial(network, LCNET, se_layer=LCNET_SE), 50),
    Case("v4", partial(v4, V4), 63),
    Case("v4_average", partial(v4, AVERAGE, aa_layer="avg"), 66),
    Case("v4_hybrid", partial(v4, HYBRID, torch.nn.GELU, layer_scale_init_value=1e-5), (60, 68)),
    # Left out: blurring.
], names_of("mobilenetv3_", "tf_mobilenetv3_", "mobilenetv4_", "fbnetv3_", "lcnet_",
            "hardcorenas_", but=[re.compile("blur")]))
