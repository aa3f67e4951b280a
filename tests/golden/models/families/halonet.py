#!/usr/bin/env python3
"""Writes halonet.safetensors and halonet.csv: see ../family_cases.py."""

import pathlib
import sys

from timm.models.byobnet import (
    ByoBlockCfg, ByobNet, ByoModelCfg, interleave_blocks)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, write


def small(name, size, group, br, attention, fixed=False, **arguments):
    stages = (
        ByoBlockCfg(type="bottle", d=1, c=32, s=1, gs=group, br=br),
        interleave_blocks(types=("bottle", "self_attn"), d=2, c=64, s=2,
                          gs=group, br=br),
        ByoBlockCfg(type="self_attn", d=2, c=64, s=2, gs=group, br=br))
    cfg = ByoModelCfg(blocks=stages, self_attn_kwargs=attention, **arguments)
    return Case(name, ByobNet, size, fixed=fixed, cfg=cfg,
                drop_path_rate=DROP_PATH)


TIERED = dict(stem_type="tiered", stem_chs=16)

write("halonet", [
    small("halonet", (64, 128), 0, 0.25, dict(block_size=4, halo_size=1),
          self_attn_layer="halo", **TIERED),
    small("halonet_eca", 64, 8, 0.25, dict(block_size=4, halo_size=2, dim_head=4),
          stem_pool="", act_layer="silu", attn_layer="eca", num_features=40,
          self_attn_layer="halo", **dict(TIERED, stem_chs=24)),
    small("haloregnet", 48, 8, 2,
          dict(block_size=3, halo_size=1, qk_ratio=0.33), stem_chs=16,
          stem_pool="", downsample="", act_layer="silu", attn_layer="se",
          attn_kwargs=dict(rd_ratio=0.25),
          block_kwargs=dict(bottle_in=True, linear_out=True),
          self_attn_layer="halo"),
    small("halonet_7x7", 64, 0, 0.25, dict(block_size=4, halo_size=1, num_heads=4),
          stem_type="7x7", stem_chs=16, self_attn_layer="halo"),
    small("botnet", (64, 96), 0, 0.25, {}, fixed=True, self_attn_layer="bottleneck",
          attn_layer="se", **TIERED),
    # Left out: networks with lambda layers.
], ["halonet_h1", "halonet26t", "sehalonet33ts", "halonet50ts", "eca_halonext26ts",
    "haloregnetz_b", "halo2botnet50ts_256", "botnet26t_256", "sebotnet33ts_256",
    "botnet50ts_256", "eca_botnext26ts_256", "resnet32ts", "resnet33ts",
    "seresnet33ts", "eca_resnet33ts", "resnext26ts", "seresnext26ts", "eca_resnext26ts"])
