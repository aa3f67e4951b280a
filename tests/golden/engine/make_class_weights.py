#!/usr/bin/env python3
"""Writes class_weights.json beside this file.

Needs timm 1.0.31, torchvision 0.29, torch 2.15 and scikit-learn 1.9:
python3 make_class_weights.py

Losses whose samples have weights: the original loss of each sample alone, in
double precision, times the weight of the sample's class, and the mean over the
samples; with its gradient. A mixed sample has the weights of both its classes,
each by its share. And scikit-learn's balanced weights of classes, of which some
have no samples.
"""

import json
import pathlib

import numpy
import torch
import torch.nn.functional as F
from sklearn.utils.class_weight import compute_class_weight
from timm.loss import BinaryCrossEntropy, JsdCrossEntropy, SoftTargetCrossEntropy
from torchvision.ops import sigmoid_focal_loss

from make_losses import CLASSES, LABELS, ROWS, WEIGHTS, deit, numbers, shares

HERE = pathlib.Path(__file__).resolve().parent
SMOOTHING = 0.1
SPLITS = 3
COUNTS = [0, 300, 300, 3, 0, 17, 300, 1, 0]


def smoothed(label):
    rest = SMOOTHING / CLASSES
    return F.one_hot(label, CLASSES).double() * (1 - SMOOTHING) + rest


def cross_entropy(outputs, label):
    return F.cross_entropy(outputs, label, label_smoothing=SMOOTHING)


def binary(outputs, label):
    return BinaryCrossEntropy(smoothing=SMOOTHING)(outputs, label)


def focal(outputs, label):
    return sigmoid_focal_loss(outputs, smoothed(label), 0.25, 2.0).mean()


def jensen_shannon(outputs, label):
    loss = JsdCrossEntropy(SPLITS, alpha=12, smoothing=SMOOTHING)
    return loss(outputs, label.repeat(SPLITS))


def case(name, loss, weights, outputs, rows, **options):
    """rows(i): the rows of `outputs` that are sample i's."""
    outputs.requires_grad_()
    each = [
        weights[i] * loss(outputs[rows(i)], LABELS[i:i + 1], i)
        for i in range(ROWS)
    ]
    value = torch.stack(each).mean()
    value.backward()
    return {
        "name": name,
        "options": options,
        "outputs": outputs.detach().flatten().tolist(),
        "weights": weights.tolist(),
        "loss": value.item(),
        "gradient": outputs.grad.flatten().tolist(),
    }


def of_labels():
    kinds = {
        "cross_entropy": cross_entropy,
        "binary_cross_entropy": binary,
        "focal": focal,
    }
    return [
        case(
            kind,
            lambda outputs, label, _, loss=loss: loss(outputs, label),
            WEIGHTS[LABELS],
            numbers(1),
            lambda i: [i],
            kind=kind,
            label_smoothing=SMOOTHING,
        )
        for kind, loss in kinds.items()
    ]


def mixed_weights():
    """Of shares() of make_losses.py."""
    return 0.625 * WEIGHTS[LABELS] + 0.375 * WEIGHTS[LABELS.flip(0)]


def of_mixed():
    mixed = shares()
    kinds = {
        "cross_entropy": lambda outputs, i: SoftTargetCrossEntropy()(
            outputs, mixed[i:i + 1]),
        "binary_cross_entropy": lambda outputs, i: BinaryCrossEntropy()(
            outputs, mixed[i:i + 1]),
        "focal": lambda outputs, i: sigmoid_focal_loss(
            outputs, mixed[i:i + 1], 0.25, 2.0).mean(),
    }
    return [
        case(
            f"mixed {kind}",
            lambda outputs, _, i, loss=loss: loss(outputs, i),
            mixed_weights(),
            numbers(1),
            lambda i: [i],
            kind=kind,
            shares=True,
        )
        for kind, loss in kinds.items()
    ]


def of_versions():
    outputs = torch.cat([numbers(seed) for seed in range(SPLITS)])
    return case(
        "jensen_shannon",
        lambda outputs, label, _: jensen_shannon(outputs, label),
        WEIGHTS[LABELS],
        outputs,
        lambda i: [i + split * ROWS for split in range(SPLITS)],
        kind="jensen_shannon",
        label_smoothing=SMOOTHING,
        splits=SPLITS,
        divergence=12,
    )


def of_a_teacher(how, tau):
    mixed = shares()
    teacher = numbers(2, 3.0)

    def loss(outputs, _, i):
        base = lambda own: SoftTargetCrossEntropy()(own, mixed[i:i + 1])
        return deit(base, teacher[i:i + 1], how, 0.25, tau)(outputs)

    return case(
        f"{how} distillation",
        loss,
        mixed_weights(),
        numbers(1),
        lambda i: [i],
        kind="cross_entropy",
        shares=True,
        distill=how,
        alpha=0.25,
        temperature=tau,
    )


def balanced():
    labels = numpy.repeat(numpy.arange(len(COUNTS)), COUNTS)
    present = numpy.unique(labels)
    weights = numpy.zeros(len(COUNTS))
    weights[present] = compute_class_weight(
        "balanced", classes=present, y=labels)
    return {"counts": COUNTS, "weights": weights.tolist()}


def main():
    content = {
        "shape": [ROWS, CLASSES],
        "labels": LABELS.tolist(),
        "shares": shares().flatten().tolist(),
        "class_weights": WEIGHTS.tolist(),
        "teacher": numbers(2, 3.0).flatten().tolist(),
        "cases": of_labels() + of_mixed() + [
            of_versions(), of_a_teacher("soft", 2.0), of_a_teacher("hard", 1.0)],
        "balanced": balanced(),
    }
    (HERE / "class_weights.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main()
