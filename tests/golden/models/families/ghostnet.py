#!/usr/bin/env python3
"""Writes ghostnet.safetensors and ghostnet.csv: see ../family_cases.py."""

import pathlib
import re
import sys
import unittest.mock
from functools import partial

from timm.models import ghostnet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import Case, names_of, write

with unittest.mock.patch.object(ghostnet, "build_model_with_cfg",
                                lambda *_, **arguments: arguments):
    STAGES = ghostnet._create_ghostnet("ghostnet_100")["cfgs"]
network = partial(ghostnet.GhostNet, STAGES, width=0.2, drop_rate=0.0)

write("ghostnet", [
    Case("v1", network, 45),
    # Left out: GhostNet V2 and V3.
], names_of("ghostnet", but=[re.compile("v[23]")]))
