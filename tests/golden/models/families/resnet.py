#!/usr/bin/env python3
"""Writes resnet and resnet_plus, .safetensors and .csv: see ../family_cases.py."""

import pathlib
import re
import sys
from functools import partial

import torch
from timm.layers import BlurPool2d, get_attn
from timm.models.res2net import Bottle2neck
from timm.models.resnest import ResNestBottleneck
from timm.models.resnet import BasicBlock, Bottleneck, ResNet
from timm.models.sknet import SelectiveKernelBasic, SelectiveKernelBottleneck

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

CHANNELS = dict(channels=(4, 8, 12, 16), drop_path_rate=DROP_PATH)
D = dict(stem_type="deep", stem_width=8, avg_down=True)


ONE = (1, 1, 1, 1)
SE = dict(attn_layer="se")


def network(block, layers, **arguments):
    model = ResNet(block, layers, **dict(CHANNELS, **arguments))
    model.layer1[0].drop_path = torch.nn.Identity()  # timm has None: its rate is 0
    return model


def split(**arguments):
    """Drops residual branches, where timm drops the input of the projection."""
    model = network(ResNestBottleneck, ONE, **dict(D, **arguments))
    for block in (part for part in model.modules()
                  if isinstance(part, ResNestBottleneck)):
        block.drop_path = None
        block.drop_path_of_branch = torch.nn.Identity()
        block.bn3.register_forward_hook(
            lambda bn, x, y, block=block: block.drop_path_of_branch(y))
    return model


write("resnet", [
    Case("plain", partial(network, BasicBlock, (1, 2, 1, 1)), 45),
    Case("bottleneck", partial(network, Bottleneck, (1, 1, 2, 1)), (34, 65)),
    # Odd sides, whose last pixels are means of fewer.
    Case("d", partial(network, BasicBlock, (2, 1, 1, 1), **D), 70),
    Case("tiered", partial(network, Bottleneck, ONE,
                           **dict(D, stem_type="deep_tiered")), (66, 37)),
    Case("groups", partial(network, Bottleneck, ONE, cardinality=2,
                           base_width=48, **dict(D, avg_down=False)), 40),
], names_of("resnet", "wide_resnet", "resnext",
            but=[re.compile(r"_gn|_clip|aa|blur|resnets|resnetv2|resnet33ts"
                            r"|resnet32ts|resnet51q|resnet61q|resnext26ts|resnetrs"
                            r"|mlp|tiny|vd$|resnext101_32x8d_")]))
write("resnet_plus", [
    Case("gate", partial(network, BasicBlock, (1, 2, 1, 1), block_args=SE), 45),
    Case("eca", partial(network, Bottleneck, ONE, block_args=dict(attn_layer="eca"),
                        **dict(D, stem_type="deep_tiered")), (66, 37)),
    Case("senet", partial(network, Bottleneck, ONE, stem_type="deep", stem_width=8,
                          cardinality=2, base_width=64, down_kernel_size=3,
                          block_reduce_first=2, block_args=SE), 45),
    Case("blur", partial(network, BasicBlock, ONE, aa_layer=BlurPool2d), (50, 37)),
    Case("average", partial(network, Bottleneck, ONE, aa_layer=torch.nn.AvgPool2d,
                            block_args=SE, **D), 64),
    Case("rs", partial(network, Bottleneck, ONE, replace_stem_pool=True,
                       block_args=dict(attn_layer=partial(get_attn("se"), rd_ratio=0.25)),
                       **D), 45),
    Case("norm", partial(network, Bottleneck, ONE, norm_layer="groupnorm",
                         channels=(32, 32, 64, 32)), 34),
    Case("selective", partial(network, SelectiveKernelBasic, (1, 2, 1, 1),
                              zero_init_last=False, block_args=dict(sk_kwargs=dict(
                                  rd_ratio=1 / 8, rd_divisor=16, split_input=True))), 45),
    Case("kernels", partial(network, SelectiveKernelBottleneck, ONE, cardinality=2,
                            base_width=48, zero_init_last=False,
                            block_args=dict(sk_kwargs=dict(
                                rd_ratio=1 / 16, rd_divisor=32, split_input=False))), 40),
    Case("split", partial(split, block_args=dict(radix=2, avd=True, avd_first=False)), 45),
    Case("first", partial(split, cardinality=2, base_width=64,
                          block_args=dict(radix=4, avd=True, avd_first=True)), 50),
    Case("single", partial(split, cardinality=2, base_width=48,
                           block_args=dict(radix=1, avd=True, avd_first=True)), 34),
    Case("scales", partial(network, Bottle2neck, (1, 2, 1, 1), base_width=32,
                           block_args=dict(scale=4)), 45),
    # Left out: pruned widths, senet.py's networks, CLIP's ResNets.
], names_of("resnet50_gn", "resnetaa", "resnetblur", "resnetrs", "seresne", "senet",
            "ecaresne", "skresne", "resnest", "res2ne",
            but=[re.compile(r"pruned|33ts|26ts")]))
