#!/usr/bin/env python3
"""Writes foreign_schedules.csv beside this file: the learning rate of each epoch
of commands of timm's and torchvision's training scripts.

    python3 make_foreign_schedules.py

timm's rates are those of its create_scheduler_v2 (timm 1.0.31 made the committed
file); torchvision's those of torch's schedulers, put together as
references/classification/train.py does it.
"""

import argparse
import csv
import pathlib

import torch
from timm.scheduler import create_scheduler_v2
from torch.optim import lr_scheduler

HERE = pathlib.Path(__file__).resolve().parent
TIMM = [
    "--sched cosine --lr 0.5 --epochs 20 --warmup-epochs 5 --warmup-lr 1e-4"
    " --min-lr 1e-5 --warmup-prefix",
    "--sched cosine --lr 1e-3 --epochs 10 --warmup-epochs 0 --min-lr 1e-6",
    "--sched step --lr 0.1 --epochs 30 --decay-epochs 8 --decay-rate 0.3"
    " --warmup-epochs 3",
    "--sched step --lr 0.1 --epochs 30 --decay-epochs 8 --decay-rate 0.3"
    " --warmup-epochs 3 --warmup-prefix",
    "--sched multistep --lr 0.1 --epochs 30 --decay-milestones 10 20"
    " --decay-rate 0.5 --warmup-epochs 2",
    "--sched cosine --lr 0.5 --epochs 20 --warmup-epochs 5 --warmup-lr 1e-4"
    " --min-lr 1e-5 --cooldown-epochs 4",
    "--sched cosine --lr 0.5 --epochs 6 --warmup-epochs 2 --warmup-prefix"
    " --min-lr 1e-4 --lr-cycle-limit 3 --lr-cycle-mul 2 --lr-cycle-decay 0.5"
    " --lr-k-decay 1.5",
    "--sched cosine --lr 0.5 --epochs 7 --warmup-epochs 0 --lr-cycle-limit 2"
    " --cooldown-epochs 1",
    "--sched poly --lr 0.1 --epochs 12 --decay-rate 2 --warmup-epochs 2"
    " --min-lr 1e-3 --cooldown-epochs 2",
    "--sched wsd --lr 0.1 --epochs 20 --decay-epochs 0.3 --warmup-epochs 3"
    " --min-lr 1e-4",
    "--sched wsd --lr 0.1 --epochs 20 --decay-epochs 4 --warmup-epochs 3"
    " --warmup-prefix",
    "--sched rsqrt --lr 0.1 --epochs 30 --decay-epochs 6 --warmup-epochs 5"
    " --min-lr 1e-5",
    "--sched constant --lr 0.1 --epochs 8 --warmup-epochs 3",
]
TORCHVISION = [
    "--lr 0.5 --epochs 20 --lr-scheduler cosineannealinglr --lr-min 1e-4"
    " --lr-warmup-epochs 5 --lr-warmup-method linear",
    "--lr 0.5 --epochs 12 --lr-scheduler cosineannealinglr",
    "--lr 0.1 --epochs 20 --lr-step-size 6",
    "--lr 0.1 --epochs 20 --lr-step-size 6 --lr-warmup-epochs 4"
    " --lr-warmup-method linear --lr-warmup-decay 0.25",
    "--lr 0.1 --epochs 10 --lr-scheduler exponentiallr --lr-gamma 0.9",
]


def optimizer(lr):
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)


def timm_rates(command):
    parser = argparse.ArgumentParser()
    for name, kind, initial in [
            ("sched", str, "cosine"), ("lr", float, 0.1),
            ("epochs", int, 300), ("warmup-epochs", int, 5),
            ("warmup-lr", float, 1e-5), ("min-lr", float, 0.0),
            ("decay-epochs", float, 90), ("decay-rate", float, 0.1),
            ("cooldown-epochs", int, 0), ("lr-cycle-mul", float, 1.0),
            ("lr-cycle-decay", float, 0.5), ("lr-cycle-limit", int, 1),
            ("lr-k-decay", float, 1.0)]:
        parser.add_argument("--" + name, type=kind, default=initial)
    parser.add_argument("--warmup-prefix", action="store_true")
    parser.add_argument("--decay-milestones", type=int, nargs="+", default=[90])
    args = {
        name.removeprefix("lr_") if name != "lr" else name: value
        for name, value in vars(parser.parse_args(command.split())).items()}
    made = optimizer(args.pop("lr"))
    schedule, epochs = create_scheduler_v2(
        made, num_epochs=args.pop("epochs"), **args)
    for epoch in range(epochs):
        yield made.param_groups[0]["lr"]
        schedule.step(epoch + 1)


def torchvision_rates(command):
    parser = argparse.ArgumentParser()
    for name, kind, initial in [
            ("lr", float, 0.1), ("epochs", int, 90), ("lr-scheduler", str, "steplr"),
            ("lr-warmup-epochs", int, 0), ("lr-warmup-method", str, "constant"),
            ("lr-warmup-decay", float, 0.01), ("lr-step-size", int, 30),
            ("lr-gamma", float, 0.1), ("lr-min", float, 0.0)]:
        parser.add_argument("--" + name, type=kind, default=initial)
    args = parser.parse_args(command.split())
    made = optimizer(args.lr)
    warmup = args.lr_warmup_epochs
    schedule = {
        "steplr": lambda: lr_scheduler.StepLR(
            made, args.lr_step_size, args.lr_gamma),
        "cosineannealinglr": lambda: lr_scheduler.CosineAnnealingLR(
            made, args.epochs - warmup, args.lr_min),
        "exponentiallr": lambda: lr_scheduler.ExponentialLR(made, args.lr_gamma),
    }[args.lr_scheduler]()
    if warmup > 0:
        rise = lr_scheduler.LinearLR(
            made, start_factor=args.lr_warmup_decay, total_iters=warmup)
        schedule = lr_scheduler.SequentialLR(made, [rise, schedule], [warmup])
    for _ in range(args.epochs):
        yield made.param_groups[0]["lr"]
        made.step()
        schedule.step()


def main():
    with open(HERE / "foreign_schedules.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["program", "command", "epoch", "lr"])
        for program, commands, rates in [
                ("timm", TIMM, timm_rates),
                ("torchvision", TORCHVISION, torchvision_rates)]:
            for command in commands:
                for epoch, lr in enumerate(rates(command)):
                    writer.writerow([program, command, epoch, repr(float(lr))])


if __name__ == "__main__":
    main()
