#!/usr/bin/env python3
"""Writes losses.json beside this file.

Needs timm 1.0.31, torchvision 0.26 and torch 2.11:  python3 make_losses.py

Losses and their gradients with respect to the outputs, in double precision, from
numbers that are exact in single precision: timm's BinaryCrossEntropy and (in
single precision) AsymmetricLossMultiLabel, ZlprLoss and PolyCrossEntropy,
torchvision's sigmoid_focal_loss, torch's cross_entropy, and the formula that
DeiT's authors publish for learning from a teacher.
"""

import json
import pathlib

import torch
import torch.nn.functional as F
from timm.loss import (
    AsymmetricLossMultiLabel, BinaryCrossEntropy, PolyCrossEntropy, ZlprLoss)
from torchvision.ops import sigmoid_focal_loss

HERE = pathlib.Path(__file__).resolve().parent
ROWS, CLASSES = 6, 5
LABELS = torch.tensor([3, 0, 3, 1, 4, 2])
WEIGHTS = torch.tensor([0.5, 2.0, 1.0, 0.25, 1.5], dtype=torch.double)


def numbers(seed, scale=2.0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(ROWS, CLASSES, generator=generator) * scale).double()


def shares():
    """As mixing leaves them: two classes and a little of all."""
    other = F.one_hot(LABELS.flip(0), CLASSES)
    mixed = 0.625 * F.one_hot(LABELS, CLASSES) + 0.375 * other
    return (0.875 * mixed + 0.125 / CLASSES).float().double()


def smoothed(smoothing):
    rest = smoothing / CLASSES
    return F.one_hot(LABELS, CLASSES).double() * (1 - smoothing) + rest


def binary(targets, **options):
    return lambda outputs: BinaryCrossEntropy(**options)(outputs, targets)


def focal(targets, alpha, gamma):
    return lambda outputs: sigmoid_focal_loss(
        outputs, targets, alpha, gamma, reduction="none").mean()


def entropy(targets, **options):
    return lambda outputs: F.cross_entropy(
        outputs, targets, reduction="sum", **options) / ROWS


def deit(base, teacher, kind, alpha, tau, token=False):
    """DistillationLoss (arXiv:2012.12877) of a student with one output, or with
    two, one beside the other here, of which the teacher has the second."""
    def loss(both):
        own, outputs = both.chunk(2, dim=1) if token else (both, both)
        if kind == "soft":
            taught = F.kl_div(
                F.log_softmax(outputs / tau, dim=1),
                F.log_softmax(teacher / tau, dim=1),
                reduction="sum", log_target=True) * tau ** 2 / outputs.numel()
        else:
            taught = F.cross_entropy(outputs, teacher.argmax(dim=1))
        return base(own) * (1 - alpha) + taught * alpha
    return loss


def case(name, loss, **options):
    outputs = numbers(1)
    if options.get("heads_apart"):
        outputs = torch.cat([outputs, numbers(3)], dim=1)
    outputs.requires_grad_()
    value = loss(outputs)
    value.backward()
    return {
        "name": name,
        "options": options,
        "loss": value.item(),
        "gradient": outputs.grad.flatten().tolist(),
    }


def binaries():
    kind = {"kind": "binary_cross_entropy"}
    return [
        case("bce of labels", binary(LABELS, smoothing=0.1),
             **kind, label_smoothing=0.1),
        case("bce of shares", binary(shares()), **kind, shares=True),
        case("bce with a threshold", binary(shares(), target_threshold=0.2),
             **kind, shares=True, threshold=0.2),
        case("bce summed", binary(shares(), sum_classes=True),
             **kind, shares=True, sum_classes=True),
        case("bce of what is there", binary(shares(), pos_weight=2.5),
             **kind, shares=True, pos_weight=2.5),
        case("bce with weights", binary(shares(), weight=WEIGHTS),
             **kind, shares=True, class_weights=True),
        case("focal", focal(smoothed(0.0), 0.25, 2.0),
             kind="focal", focal_alpha=0.25, focal_gamma=2.0),
        case("focal of shares", focal(shares(), 0.75, 1.5),
             kind="focal", shares=True, focal_alpha=0.75, focal_gamma=1.5),
        case("focal without alpha", focal(smoothed(0.1), -1.0, 0.5),
             kind="focal", label_smoothing=0.1, focal_alpha=-1.0,
             focal_gamma=0.5),
    ]


def entropies():
    kind = {"kind": "cross_entropy"}
    weighted = {**kind, "class_weights": True}
    return [
        case("cross entropy", entropy(LABELS, label_smoothing=0.1),
             **kind, label_smoothing=0.1),
        case("cross entropy with weights", entropy(LABELS, weight=WEIGHTS),
             **weighted),
        case("smoothed cross entropy with weights",
             entropy(LABELS, weight=WEIGHTS, label_smoothing=0.1),
             **weighted, label_smoothing=0.1),
        case("soft cross entropy", entropy(shares()), **kind, shares=True),
        case("soft cross entropy with weights",
             entropy(shares(), weight=WEIGHTS), **weighted, shares=True),
    ]


def newer():
    asymmetric = {"kind": "asymmetric", "shares": True}
    return [
        case("asymmetric", lambda x: AsymmetricLossMultiLabel()(x, shares()),
             **asymmetric, sum_classes=True),
        case("asymmetric with other numbers",
             lambda x: AsymmetricLossMultiLabel(
                 3.0, 0.5, 0.1, reduction="mean")(x, shares()),
             **asymmetric, gamma_absent=3.0, gamma_present=0.5, clip=0.1),
        case("zlpr", lambda x: ZlprLoss()(x, shares()),
             kind="zlpr", shares=True),
        case("poly1", lambda x: PolyCrossEntropy(1.5, 0.1)(x, LABELS),
             kind="poly1", label_smoothing=0.1, poly1_epsilon=1.5),
        case("poly1 of shares", lambda x: PolyCrossEntropy()(x, shares()),
             kind="poly1", shares=True, poly1_epsilon=2.0),
        case("l1", lambda x: F.l1_loss(x, numbers(3)), kind="l1"),
        case("huber", lambda x: F.huber_loss(x, numbers(3), delta=0.75),
             kind="huber", huber_delta=0.75),
    ]


def distillations():
    kind = {"kind": "cross_entropy", "shares": True}
    base = entropy(shares())
    return [
        case(f"{how} distillation at {tau}",
             deit(base, numbers(2, 3.0), how, alpha, tau),
             **kind, distill=how, alpha=alpha, temperature=tau)
        for how, alpha, tau in [
            ("soft", 0.5, 1.0), ("soft", 0.1, 3.0), ("hard", 0.5, 1.0)]
    ] + [
        case(f"{how} distillation of a token",
             deit(base, numbers(2, 3.0), how, alpha, tau, token=True),
             **kind, distill=how, alpha=alpha, temperature=tau, heads_apart=True)
        for how, alpha, tau in [("soft", 0.25, 2.0), ("hard", 0.5, 1.0)]
    ]


def main():
    content = {
        "outputs": numbers(1).tolist(),
        "second_outputs": numbers(3).tolist(),
        "labels": LABELS.tolist(),
        "shares": shares().tolist(),
        "teacher": numbers(2, 3.0).tolist(),
        "weights": WEIGHTS.tolist(),
        "cases": binaries() + entropies() + newer() + distillations(),
    }
    (HERE / "losses.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main()
