#!/usr/bin/env python3
"""Writes evaluation.json: outcomes of a made-up classifier, and what
scikit-learn and torchmetrics say of them.

Needs numpy 2.4.6, torch 2.11.0, scikit-learn 1.7.2 and torchmetrics 1.8.2:
    python3 tests/golden/results/make_evaluation.py

The classifier is overconfident, as networks are. Class 5 has no samples, and
class 6 is never predicted.
"""

import json
import pathlib

import numpy
import torch
from sklearn.metrics import (balanced_accuracy_score, confusion_matrix, f1_score,
                             precision_recall_fscore_support)
from torchmetrics.functional.classification import multiclass_calibration_error

CLASSES = 7
SAMPLES = 400
BINS = 15


def main():
    random = numpy.random.RandomState(17)
    labels = random.choice([0, 1, 2, 3, 4, 6], SAMPLES, p=[.3, .2, .2, .15, .1, .05])
    logits = random.normal(size=(SAMPLES, CLASSES))
    logits[numpy.arange(SAMPLES), labels] += 1.0
    logits[:, 6] -= 20
    probabilities = torch.softmax(torch.tensor(3 * logits, dtype=torch.float32), 1)
    best = probabilities.max(1)
    loss = -torch.log(probabilities[torch.arange(SAMPLES), torch.tensor(labels)])
    predictions = best.indices.numpy()
    every = range(CLASSES)
    precision, recall, f1, _ = precision_recall_fscore_support(
        labels, predictions, labels=every, zero_division=0)
    golden = {
        "classes": CLASSES,
        "labels": labels.tolist(),
        "predictions": predictions.tolist(),
        "probabilities": best.values.tolist(),
        "losses": loss.tolist(),
        "confusion": confusion_matrix(labels, predictions, labels=every).tolist(),
        "precision": precision.tolist(),
        "recall": recall.tolist(),
        "f1": f1.tolist(),
        "mean_accuracy": float(balanced_accuracy_score(labels, predictions)),
        # Over the classes that are there, as label or as prediction.
        "macro_f1": float(f1_score(labels, predictions, average="macro")),
        "calibration_error": float(multiclass_calibration_error(
            probabilities.double(), torch.tensor(labels), CLASSES, n_bins=BINS, norm="l1")),
    }
    path = pathlib.Path(__file__).with_name("evaluation.json")
    path.write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
