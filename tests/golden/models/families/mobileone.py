#!/usr/bin/env python3
"""Writes mobileone.safetensors and mobileone.csv: see ../family_cases.py."""

import pathlib
import sys

from timm.models.byobnet import ByobNet, ByoModelCfg, _mobileone_bcfg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

DEPTHS = (1, 2, 2, 1)
FACTORS = (0.25, 0.125, 0.125, 0.0625)


def small(name, size, stem, **arguments):
    cfg = ByoModelCfg(blocks=_mobileone_bcfg(d=DEPTHS, wf=FACTORS, **arguments),
                      stem_type="one", stem_chs=stem)
    return Case(name, ByobNet, size, cfg=cfg, drop_path_rate=DROP_PATH)


write("mobileone", [
    small("mobileone", (40, 72), 16, num_conv_branches=3),
    small("mobileone_se", 64, 16, se_blocks=(0, 1, 0, 1)),
], names_of("mobileone_"))
