#!/usr/bin/env python3
"""Writes resnet.safetensors and resnet.csv: see ../family_cases.py."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import write

write("resnet", [], ["resnet18", "resnet34", "resnet50", "resnet101", "resnet152"])
