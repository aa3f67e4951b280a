#!/usr/bin/env python3
"""Writes cycle_starts.csv and cycle_lengths.csv beside this file: cycles of
timm's cosine schedule.

Needs timm (1.0.31 made the committed files):

    python3 make_cycles.py

cycle_starts.csv: the learning rate of timm's CosineLRScheduler in the first
epoch of each cycle behind the first, where that is a whole one. Where timm's
logarithm is rounded to the cycle before, the row has what its own formula, lr
cycle_decay ** index, says, and is marked.
cycle_lengths.csv: how many epochs create_scheduler_v2 trains.
"""

import csv
import itertools
import pathlib
from fractions import Fraction

import torch
from timm.scheduler import CosineLRScheduler, create_scheduler_v2

HERE = pathlib.Path(__file__).resolve().parent
GROWTHS = ["1.1", "1.2", "1.25", "1.3", "1.4", "1.5", "1.6", "1.75", "2", "3",
           "0.5", "0.8"]
COUNTS = [2, 3, 4]
DECAY = 0.5


def optimizer():
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)


def starts():
    for growth, count, first in itertools.product(GROWTHS, COUNTS, range(2, 101)):
        lengths = [first * Fraction(growth) ** i for i in range(count)]
        if sum(lengths).denominator != 1:
            continue
        schedule = CosineLRScheduler(
            optimizer(), t_initial=first, cycle_mul=float(growth),
            cycle_limit=count, cycle_decay=DECAY)
        for index in range(1, count):
            start = sum(lengths[:index])
            if start.denominator != 1:
                continue
            rate = schedule._get_lr(int(start))[0]
            said = DECAY ** index
            wrong = abs(rate - said) > 1e-6
            yield [growth, count, sum(lengths), start,
                   said if wrong else rate, int(wrong)]


def lengths():
    for growth, count, first in itertools.product(
            ["1", *GROWTHS], COUNTS, range(5, 301, 20)):
        _, epochs = create_scheduler_v2(
            optimizer(), sched="cosine", num_epochs=first,
            cycle_mul=float(growth), cycle_limit=count)
        yield [growth, count, first, epochs]


def write(name, columns, rows):
    with open(HERE / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def main():
    write("cycle_starts.csv",
          ["cycle_mul", "cycles", "epochs", "epoch", "lr", "timm_differs"], starts())
    write("cycle_lengths.csv",
          ["cycle_mul", "cycles", "first", "epochs"], lengths())


if __name__ == "__main__":
    main()
