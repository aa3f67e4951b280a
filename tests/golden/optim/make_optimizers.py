#!/usr/bin/env python3
"""Writes optimizers.json beside this file: 50 steps of each optimizer.

Needs torch 2.11 and timm 1.0.31:  python3 make_optimizers.py

Weights come from torch.optim and timm.optim in double precision, started from
values and gradients that are exact in single precision, so that the tests bound
vitrain's own rounding only. Two groups: parameters of one dimension are updated
at half the learning rate and without weight decay.
"""

import json
import pathlib

import timm.optim.muon
import torch
from timm.optim import (
    Adan, AdafactorBigVision, Lamb, Lars, Lion, Lookahead, Muon, NAdamW,
    RMSpropTF, SGDW)
from timm.optim.adamw import AdamWLegacy
from timm.utils.agc import adaptive_clip_grad

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 50
SHOWN = (0, 49)
EXACT = 9  # digits that name a number of single precision
# Name, shape. Matrices of Muon, moments by row and column of Adafactor (two
# dimensions of 16 and more), and others; a kernel of a convolution.
PARAMETERS = [
    ("embed.weight", [6, 2, 2, 2]),
    ("blocks.0.norm.weight", [7]),
    ("blocks.0.fc.weight", [18, 16]),
    ("blocks.0.fc.bias", [18]),
    ("head.weight", [1, 17]),
]


PRODUCTS = torch.float64


def iterated(original, *arguments, **options):
    """timm's Newton-Schulz iterations, which it runs in bfloat16 by itself."""
    options["dtype"] = PRODUCTS
    return original(*arguments, **options)


ORIGINAL = timm.optim.muon.zeropower_via_newtonschulz
timm.optim.muon.zeropower_via_newtonschulz = (
    lambda *a, **o: iterated(ORIGINAL, *a, **o))

# Case: keys of vitrain, then class and arguments of the original. Differing
# numbers beside the default ones.
CASES = {
    "adamw_groups": ({"name": "adamw"}, torch.optim.AdamW, {}),
    "adamw_cautious": (
        {"name": "adamw", "cautious": True}, AdamWLegacy, {"caution": True}),
    "adam": ({"name": "adam"}, torch.optim.Adam, {}),
    "adam_numbers": (
        {"name": "adam", "betas": [0.7, 0.95], "eps": 1e-3}, torch.optim.Adam,
        {"betas": (0.7, 0.95), "eps": 1e-3}),
    "nadamw": ({"name": "nadamw"}, NAdamW, {}),
    "nadamw_numbers": (
        {"name": "nadamw", "betas": [0.7, 0.95], "eps": 1e-3, "cautious": True},
        NAdamW, {"betas": (0.7, 0.95), "eps": 1e-3, "caution": True}),
    "sgd": (
        {"name": "sgd", "nesterov": True}, torch.optim.SGD,
        {"momentum": 0.9, "nesterov": True}),
    "sgd_decoupled": (
        {"name": "sgd", "decoupled": True, "momentum": 0.8}, SGDW,
        {"momentum": 0.8}),
    "lamb": ({"name": "lamb"}, Lamb, {"max_grad_norm": None}),
    "lamb_numbers": (
        {"name": "lamb", "betas": [0.7, 0.95], "eps": 1e-3, "decoupled": True},
        Lamb, {"betas": (0.7, 0.95), "eps": 1e-3, "decoupled_decay": True,
               "max_grad_norm": None}),
    "lamb_cautious": (
        {"name": "lamb", "cautious": True}, Lamb,
        {"caution": True, "max_grad_norm": None}),
    "lars": ({"name": "lars"}, Lars, {"momentum": 0.9}),
    "lars_numbers": (
        {"name": "lars", "momentum": 0.5, "nesterov": True,
         "trust_coefficient": 0.02, "eps": 1e-3}, Lars,
        {"momentum": 0.5, "nesterov": True, "trust_coeff": 0.02, "eps": 1e-3}),
    "lion": ({"name": "lion"}, Lion, {}),
    "lion_numbers": (
        {"name": "lion", "betas": [0.6, 0.8], "cautious": True}, Lion,
        {"betas": (0.6, 0.8), "caution": True}),
    "rmsprop": ({"name": "rmsprop"}, torch.optim.RMSprop, {"momentum": 0.9}),
    "rmsprop_numbers": (
        {"name": "rmsprop", "momentum": 0.0, "alpha": 0.8, "eps": 1e-3},
        torch.optim.RMSprop, {"alpha": 0.8, "eps": 1e-3}),
    "rmsprop_tf": ({"name": "rmsprop_tf"}, RMSpropTF, {"momentum": 0.9}),
    "rmsprop_tf_numbers": (
        {"name": "rmsprop_tf", "momentum": 0.0, "alpha": 0.8, "eps": 1e-3,
         "decoupled": True},
        RMSpropTF, {"alpha": 0.8, "eps": 1e-3, "decoupled_decay": True}),
    "rmsprop_tf_cautious": (
        {"name": "rmsprop_tf", "cautious": True}, RMSpropTF,
        {"momentum": 0.9, "caution": True}),
    "adagrad": ({"name": "adagrad"}, torch.optim.Adagrad, {}),
    "adan": ({"name": "adan"}, Adan, {}),
    "adan_numbers": (
        {"name": "adan", "betas": [0.9, 0.7, 0.95], "eps": 1e-3}, Adan,
        {"betas": (0.9, 0.7, 0.95), "eps": 1e-3}),
    "adafactor": (
        {"name": "adafactor"}, AdafactorBigVision,
        {"momentum_dtype": torch.float64}),
    "adafactor_numbers": (
        {"name": "adafactor", "momentum": 0.0}, AdafactorBigVision,
        {"momentum": None}),
    "muon": ({"name": "muon"}, Muon, {}),
    "muon_numbers": (
        {"name": "muon", "momentum": 0.8, "nesterov": True,
         "betas": [0.8, 0.9]},
        Muon, {"momentum": 0.8, "nesterov": True, "betas": (0.8, 0.9)}),
    "lookahead": (
        {"name": "adamw", "lookahead": [6, 0.5]}, torch.optim.AdamW, {}),
    "lookahead_numbers": (
        {"name": "sgd", "lookahead": [4, 0.3]}, torch.optim.SGD,
        {"momentum": 0.9}),
}
DECAY = 0.05
SCALE_OF_VECTORS = 0.5


def exact_in_float(shape, generator, scale):
    """On no grid: sums that cancel would leave the sign to rounding."""
    values = torch.randn(shape, generator=generator, dtype=torch.float32)
    return (values * scale).double()


def learning_rate(step):
    """Up and down: no two steps alike."""
    return 0.02 * (1 + (step * 7) % 13) / 13


def flat(tensors, digits=8):
    return {
        name: [float(f"{x:.{digits}g}") for x in tensor.detach().flatten().tolist()]
        for (name, _), tensor in zip(PARAMETERS, tensors)
    }


def run(case, start, gradients):
    keys, kind, arguments = case
    parameters = [torch.nn.Parameter(value.clone()) for value in start]
    groups = [
        {"params": [p for p in parameters if p.dim() > 1],
         "weight_decay": DECAY, "scale": 1.0},
        {"params": [p for p in parameters if p.dim() <= 1],
         "weight_decay": 0.0, "scale": SCALE_OF_VECTORS},
    ]
    optimizer = kind(groups, lr=1.0, **arguments)
    if "lookahead" in keys:
        every, alpha = keys["lookahead"]
        optimizer = Lookahead(optimizer, alpha=alpha, k=every)
    weights = {}
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step) * group["scale"]
        for parameter, gradient in zip(parameters, gradients[step]):
            parameter.grad = gradient.clone()
        optimizer.step()
        if step in SHOWN:
            weights[str(step)] = flat(parameters)
    return {"options": keys, "weights": weights}


def first_step_of_muon_in_bf16(start, gradients):
    """Weights after it, as timm computes it."""
    global PRODUCTS
    PRODUCTS = torch.bfloat16
    weights = run(CASES["muon"], start, gradients)["weights"]["0"]
    PRODUCTS = torch.float64
    return weights


def clipped(start, gradients, clip):
    """Gradients after `clip` of the parameters."""
    parameters = [torch.nn.Parameter(value.clone()) for value in start]
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient.clone()
    clip(parameters)
    return flat([p.grad for p in parameters])


def clipping(start, gradients):
    """timm leaves the classifier out of agc."""
    return {
        "value": {"limit": 0.25, "gradients": clipped(
            start, gradients,
            lambda p: torch.nn.utils.clip_grad_value_(p, 0.25))},
        "agc": {"limit": 0.5, "gradients": clipped(
            start, gradients, lambda p: adaptive_clip_grad(p[:-1], 0.5))},
    }


def main():
    # The default betas of the class are those of vitrain; of its sgd, momentum
    # is set above.
    torch.set_default_dtype(torch.float64)
    generator = torch.Generator().manual_seed(22)
    start = [exact_in_float(shape, generator, 0.5) for _, shape in PARAMETERS]
    gradients = [
        [exact_in_float(shape, generator, 0.3) for _, shape in PARAMETERS]
        for _ in range(STEPS)
    ]
    result = {
        "parameters": [{"name": n, "shape": s} for n, s in PARAMETERS],
        "weight_decay": DECAY,
        "scale_of_vectors": SCALE_OF_VECTORS,
        "start": flat(start, EXACT),
        "lr": [learning_rate(step) for step in range(STEPS)],
        "gradients": [flat(row, EXACT) for row in gradients],
        "clipping": clipping(start, gradients[0]),
        "muon_in_bf16": first_step_of_muon_in_bf16(start, gradients),
        "variants": {
            name: run(case, start, gradients) for name, case in CASES.items()
        },
    }
    text = json.dumps(result, separators=(",", ":"))
    (HERE / "optimizers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
