#!/usr/bin/env python3
"""Prints the golden trace of tests/unit/engine/loss_scaler_test.cpp.

The arithmetic of torch.amp.GradScaler: overflow of the step, scale, tracker.
"""
import torch

scale = torch.full((), 65536.0)
tracker = torch.zeros((), dtype=torch.int32)
for bad in [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0]:
    torch._amp_update_scale_(scale, tracker, torch.tensor(float(bad)), 2.0, 0.5, 3)
    print(f"    {{{bad}, {scale.item():.0f}.0F, {tracker.item()}}},")
