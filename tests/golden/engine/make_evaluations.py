#!/usr/bin/env python3
"""Writes evaluations.json: logits of a made-up classifier, and what timm,
scikit-learn and torchmetrics say of them.

Needs numpy 2.4.6, torch 2.11.0, timm 1.0.31, scikit-learn 1.7.2 and
torchmetrics 1.8.2:
    python3 tests/golden/engine/make_evaluations.py

The last class of the lists of labels has no samples: both count 0 for it in the
mean.
"""

import json
import pathlib
import tempfile
import warnings

import numpy
import torch
from sklearn.metrics import average_precision_score
from timm.data.real_labels import RealLabelsImagenet
from timm.utils import accuracy
from torchmetrics.functional.classification import multilabel_average_precision

CLASSES = 12
SAMPLES = 60
SUBSET = [1, 4, 5, 7, 8, 10, 11]


def real(logits, random):
    """timm's top-1 by ReaL labels; every fifth image has none."""
    lists = [sorted(random.choice(CLASSES, i % 5, replace=False).tolist())
             for i in range(SAMPLES)]
    names = [f"val/ILSVRC2012_val_{i + 1:08d}.JPEG" for i in range(SAMPLES)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(lists, file)
        file.flush()
        labels = RealLabelsImagenet(names, file.name)
    labels.add_result(logits)
    return {"labels": lists, "count": len(labels.is_correct[1]),
            "top1": labels.get_accuracy(1)}


def subset(logits, random):
    """timm's validate.py --valid-labels: labels are places in the subset."""
    labels = torch.tensor(random.randint(0, len(SUBSET), SAMPLES))
    valid = logits[:, SUBSET]
    top1, top5 = accuracy(valid, labels, topk=(1, 5))
    return {"classes": SUBSET, "labels": [SUBSET[i] for i in labels],
            "top1": float(top1), "top5": float(top5),
            "loss": float(torch.nn.functional.cross_entropy(valid.double(), labels))}


def lists(logits, random):
    """Average precision; rounded logits, so that some are equal."""
    scores = torch.round(logits * 4) / 4
    hot = torch.tensor(random.rand(SAMPLES, CLASSES) < 0.2)
    hot[:, -1] = False
    scores = torch.where(hot, scores + 0.75, scores)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the class without samples
        each = average_precision_score(hot.numpy(), scores.numpy(), average=None)
        macro = average_precision_score(hot.numpy(), scores.numpy(), average="macro")
    return {"scores": scores.tolist(),
            "labels": [torch.nonzero(row).flatten().tolist() for row in hot],
            "each": each.tolist(),
            "macro": float(macro),
            "torchmetrics": float(multilabel_average_precision(
                scores.double(), hot.long(), CLASSES, average="macro"))}


def main():
    random = numpy.random.RandomState(23)
    logits = torch.tensor(random.normal(size=(SAMPLES, CLASSES)), dtype=torch.float32)
    golden = {"logits": logits.tolist(), "real": real(logits, random),
              "subset": subset(logits, random), "lists": lists(logits, random)}
    path = pathlib.Path(__file__).with_name("evaluations.json")
    path.write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
