#!/usr/bin/env python3
"""Writes densenet.safetensors and densenet.csv: see ../family_cases.py."""

import pathlib
import re
import sys
from functools import partial

from timm.models.densenet import DenseNet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import Case, names_of, write

network = partial(DenseNet, growth_rate=8, block_config=(2, 3, 1, 2))

write("densenet", [
    Case("plain", network, (64, 70)),
    Case("deep", partial(network, stem_type="deep"), 64),
    # Left out: blurring.
], names_of("densenet", but=[re.compile("blur")]))
