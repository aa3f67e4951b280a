"""Prints the milliseconds of an update of torch's and timm's optimizers.

usage: optimizer_step.py THREADS|cuda STEPS RULE...

Updates the parameters of timm's ResNet-50, in groups with and without weight
decay; fused if torch has that on the CPU, otherwise foreach, otherwise timm's
default. "+" after a rule: cautious. cuda: on the first GPU.
"""

import inspect
import sys
import time

import timm
import torch
from timm.optim import (
    Adan, AdafactorBigVision, Lamb, Lars, Lion, Muon, NAdamW, RMSpropTF)
from timm.optim.adamw import AdamWLegacy

RULES = {
    "adamw": (torch.optim.AdamW, {"fused": True}),
    "adamw+": (AdamWLegacy, {"caution": True}),
    "adam": (torch.optim.Adam, {"fused": True}),
    "nadamw": (NAdamW, {"foreach": True}),
    "sgd": (torch.optim.SGD, {"momentum": 0.9, "fused": True}),
    "lamb": (Lamb, {"max_grad_norm": None, "foreach": True}),
    "lars": (Lars, {"momentum": 0.9, "foreach": True}),
    "lion": (Lion, {"foreach": True}),
    "lion+": (Lion, {"caution": True}),
    "rmsprop": (torch.optim.RMSprop, {"momentum": 0.9, "foreach": True}),
    "rmsprop_tf": (RMSpropTF, {"momentum": 0.9}),
    "adagrad": (torch.optim.Adagrad, {"fused": True}),
    "adan": (Adan, {"foreach": True}),
    "adafactor": (AdafactorBigVision, {"momentum_dtype": torch.float32}),
    "muon": (Muon, {}),
}


def finish(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def main():
    device = torch.device("cuda" if sys.argv[1] == "cuda" else "cpu")
    if device.type == "cpu":
        torch.set_num_threads(int(sys.argv[1]))
    steps = int(sys.argv[2])
    for rule in sys.argv[3:]:
        kind, arguments = RULES[rule]
        # Versions of timm before 1.0.31 do not accept all arguments.
        taken_by_it = inspect.signature(kind).parameters
        arguments = {name: value for name, value in arguments.items() if name in taken_by_it}
        parameters = list(timm.create_model("resnet50").to(device).parameters())
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter) * 0.01
        optimizer = kind(
            [{"params": [p for p in parameters if p.dim() > 1],
              "weight_decay": 0.05},
             {"params": [p for p in parameters if p.dim() <= 1],
              "weight_decay": 0.0}], lr=1e-4, **arguments)
        taken = []
        for step in range(steps + 2):
            finish(device)
            start = time.perf_counter()
            optimizer.step()
            finish(device)
            if step >= 2:
                taken.append((time.perf_counter() - start) * 1e3)
        print(rule, f"{sorted(taken)[len(taken) // 2]:.2f}", flush=True)


if __name__ == "__main__":
    main()
