#!/usr/bin/env python3
"""Writes paddle_schedules.csv beside this file.

Needs paddlepaddle==3.3.1 (CPU) and nothing else:

    python3 make_paddle_schedules.py

The rates are those of paddle.optimizer.lr.LinearWarmup around
CosineAnnealingDecay, made and stepped as PaddleViT's main_multi_gpu.py does:
constructed with last_epoch 0, read in epoch 1, 2, ... and stepped behind each.
Without warm-up it is CosineAnnealingDecay alone.
"""

import csv
import pathlib

from paddle.optimizer.lr import CosineAnnealingDecay, LinearWarmup

HERE = pathlib.Path(__file__).resolve().parent
# name, epochs, warm-up epochs, peak, start, end
CASES = [
    ("vit", 300, 32, 3e-3, 1e-6, 0.0),
    ("deit", 300, 5, 5e-4, 1e-6, 0.0),
    ("swin", 300, 20, 5e-4, 5e-7, 5e-6),
    ("short", 7, 3, 0.1, 0.01, 0.02),
    ("one_epoch_of_cosine", 5, 4, 1e-3, 1e-5, 1e-4),
    ("no_warmup", 30, 0, 1e-3, 1e-6, 1e-5),
]


def scheduler(epochs, warmup, peak, start, end):
    if warmup == 0:
        return CosineAnnealingDecay(
            learning_rate=peak, T_max=epochs, eta_min=end, last_epoch=0)
    cosine = CosineAnnealingDecay(
        learning_rate=peak, T_max=epochs - warmup, eta_min=end, last_epoch=-1)
    return LinearWarmup(
        learning_rate=cosine, warmup_steps=warmup, start_lr=start,
        end_lr=peak, last_epoch=0)


def main():
    with open(HERE / "paddle_schedules.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["case", "epochs", "warmup", "peak", "start", "end", "epoch", "lr"])
        for name, epochs, warmup, peak, start, end in CASES:
            rates = scheduler(epochs, warmup, peak, start, end)
            for epoch in range(1, epochs + 1):
                writer.writerow([
                    name, epochs, warmup, repr(peak), repr(start), repr(end),
                    epoch, repr(float(rates()))])
                rates.step()


if __name__ == "__main__":
    main()
