#!/usr/bin/env python3
"""Writes regnet.safetensors and regnet.csv: see ../family_cases.py."""

import pathlib
import re
import sys
from functools import partial

from timm.models.regnet import RegNet, RegNetCfg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

# Four stages of 1, 1, 2, 1 blocks and of 8, 16, 24, 48 channels.
NUMBERS = dict(w0=8, wa=8, wm=1.8, depth=5, group_size=8, stem_width=10)


def network(se_ratio, **arguments):
    return RegNet(RegNetCfg(se_ratio=se_ratio, **NUMBERS),
                  drop_path_rate=DROP_PATH, **arguments)


write("regnet", [
    Case("x", partial(network, 0.0), 45),
    # 10 channels into the first block: a quarter of them is 2.5.
    Case("y", partial(network, 0.25), (66, 35)),
    # Left out: RegNetV and RegNetZ, other norms.
], names_of("regnetx_", "regnety_", but=[re.compile(r"_sgn")]))
