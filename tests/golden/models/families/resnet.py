#!/usr/bin/env python3
"""Writes resnet.safetensors and resnet.csv: see ../family_cases.py."""

import pathlib
import re
import sys
from functools import partial

import torch
from timm.models.resnet import BasicBlock, Bottleneck, ResNet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

CHANNELS = dict(channels=(4, 8, 12, 16), drop_path_rate=DROP_PATH)
D = dict(stem_type="deep", stem_width=8, avg_down=True)


def network(block, layers, **arguments):
    model = ResNet(block, layers, **dict(CHANNELS, **arguments))
    model.layer1[0].drop_path = torch.nn.Identity()  # timm has None: its rate is 0
    return model


write("resnet", [
    Case("plain", partial(network, BasicBlock, (1, 2, 1, 1)), 45),
    Case("bottleneck", partial(network, Bottleneck, (1, 1, 2, 1)), (34, 65)),
    # Odd sides, whose last pixels are means of fewer.
    Case("d", partial(network, BasicBlock, (2, 1, 1, 1), **D), 70),
    Case("tiered", partial(network, Bottleneck, (1, 1, 1, 1),
                           **dict(D, stem_type="deep_tiered")), (66, 37)),
    Case("groups", partial(network, Bottleneck, (1, 1, 1, 1), cardinality=2,
                           base_width=48, **dict(D, avg_down=False)), 40),
    # Left out: other norms, anti-aliasing, attention.
], names_of("resnet", "wide_resnet", "resnext",
            but=[re.compile(r"_gn|_clip|aa|blur|resnets|resnetv2|resnet33ts"
                            r"|resnet32ts|resnet51q|resnet61q|resnext26ts|resnetrs"
                            r"|mlp|tiny|vd$|resnext101_32x8d_")]))
