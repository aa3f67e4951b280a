#!/usr/bin/env python3
"""Writes efficientnet.safetensors and efficientnet.csv: see ../family_cases.py."""

import pathlib
import re
import sys
from functools import partial

import torch
from timm.models._efficientnet_builder import decode_arch_def, round_channels
from timm.models.efficientnet import EfficientNet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write


def network(stages, act="silu", eps=1e-5, pad="", features=24, **arguments):
    """What timm's names make, of other stages."""
    return EfficientNet(
        block_args=decode_arch_def([[stage] for stage in stages]),
        num_features=features, stem_size=8, fix_stem=True,
        round_chs_fn=partial(round_channels, multiplier=1.0),
        act_layer=dict(silu=torch.nn.SiLU, relu6=torch.nn.ReLU6, relu=torch.nn.ReLU)[act],
        norm_layer=partial(torch.nn.BatchNorm2d, eps=eps), pad_type=pad,
        drop_path_rate=DROP_PATH, **arguments)


PLAIN = ["ds_r1_k3_s1_e1_c8_se0.25", "ir_r2_k3_s2_e6_c16_se0.25",
         "ir_r1_k5_s2_e6_c24_se0.25"]
LITE = ["ds_r1_k3_s1_e1_c8", "ir_r2_k5_s2_e6_c16", "ir_r1_k3_s2_e6_c24"]
V2 = ["cn_r2_k3_s1_e1_c8_skip", "er_r2_k3_s2_e4_c16", "ir_r2_k3_s2_e4_c24_se0.25"]
MIX = ["ds_r1_k3_s1_e1_c8", "ir_r1_k3.5.7_a1.1_p1.1_s2_e6_c16_se0.5_nsw",
       "ir_r2_k3.5.7.9_p1.1_s2_e3_c24_se0.25"]
EDGE = ["er_r1_k3_s1_e4_c24_fc24_noskip", "er_r2_k3_s2_e4_gs16_c16", "ir_r1_k5_s2_e8_c24"]

write("efficientnet", [
    Case("plain", partial(network, PLAIN), 45),
    # Sides that leave an odd zero over, and none: at the end, on both sides.
    Case("tf", partial(network, PLAIN, eps=1e-3, pad="same"), (46, 33)),
    Case("lite", partial(network, LITE, "relu6"), (33, 64)),
    Case("tf_lite", partial(network, LITE, "relu6", eps=1e-3, pad="same"), 40),
    Case("v2", partial(network, V2), 36),
    Case("tf_v2", partial(network, V2, eps=1e-3, pad="same"), 35),
    Case("edge", partial(network, EDGE, "relu"), 44),
    Case("v1", partial(network, ["dsa_r1_k3_s1_c16", "dsa_r2_k3_s2_c24"], "relu6",
                       features=0), 45),
    Case("mix", partial(network, MIX, "relu"), 45),
    Case("tf_mix", partial(network, MIX, "relu", eps=1e-3, pad="same"), (46, 33)),
    # Left out: other norms than BatchNorm, pruned channels, blurring, several
    # experts, EfficientNet-X's blocks, attention other than squeeze-excitation.
], names_of("efficientnet_", "efficientnetv2_", "tf_efficientnet_",
            "tf_efficientnetv2_", "tinynet_", "mobilenetv1_", "mobilenetv2_",
            "mixnet_", "tf_mixnet_", "mnasnet_", "semnasnet_", "spnasnet_", "mobilenet_edgetpu_",
            but=[re.compile(r"_gn|_evos|_b._pruned|blur|_cc_|_[xh]_")]))
