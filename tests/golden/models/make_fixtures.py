#!/usr/bin/env python3
"""Writes the reference numbers of tests/unit/models and tests/unit/weights.

Runs the original implementations; needs torch 2.11, timm 1.0.31, safetensors, scipy.
The folder of the fixtures is this script's. Run it again after a change and
commit what it writes:  python3 tests/golden/models/make_fixtures.py
"""

import csv
import math
import pathlib
import zlib

import scipy.ndimage
import timm
import torch
from safetensors.torch import save_file
from timm.layers import resample_abs_pos_embed, resize_rel_pos_bias_table

HERE = pathlib.Path(__file__).resolve().parent

# Name of the case, timm's model, keyword arguments, seed.
INITS = [
    ("cifar", "vit_tiny_patch16_224",
     dict(img_size=32, patch_size=4, depth=3, mlp_ratio=2.0, num_classes=10), 7),
    ("plain", "vit_tiny_patch16_224", dict(), 42),
    ("small", "vit_small_patch16_384", dict(depth=2, num_classes=3), 0),
    ("odd", "vit_base_patch8_224",
     dict(img_size=40, patch_size=8, embed_dim=60, num_heads=5, depth=2,
          mlp_ratio=2.5, num_classes=1), 2**40 + 3),
    ("resnet18", "resnet18", dict(num_classes=10), 1),
    ("resnet50", "resnet50", dict(num_classes=7), 123),
]


def shape_text(tensor):
    return "x".join(str(size) for size in tensor.shape)


def weighted_sum(tensor):
    """Tells which value is at which place, unlike a plain sum."""
    values = tensor.double().flatten()
    return (values * (torch.arange(values.numel()) % 251 - 125)).sum().item()


def note_truncated_normals():
    """Returns a set that collects the addresses of tensors drawn by erfinv.

    Its last bits depend on the maker of the processor (MKL), so that a CRC of
    them would hold on some machines only.
    """
    drawn = set()
    original = torch.Tensor.erfinv_

    def erfinv_(tensor):
        drawn.add(tensor.data_ptr())
        return original(tensor)

    torch.Tensor.erfinv_ = erfinv_
    return drawn


def write_inits():
    drawn = note_truncated_normals()
    with open(HERE / "init.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "tensor", "shape", "crc32", "weighted"])
        for case, name, arguments, seed in INITS:
            drawn.clear()
            torch.manual_seed(seed)
            model = timm.create_model(name, pretrained=False, **arguments)
            for key, value in model.state_dict().items():
                crc = zlib.crc32(value.contiguous().numpy().tobytes())
                exact = value.data_ptr() not in drawn
                writer.writerow([
                    case, key, shape_text(value), f"{crc:08x}" if exact else "",
                    repr(weighted_sum(value))])


def pattern(count, number):
    """Values in [-1, 1] that any language computes without rounding errors."""
    i = torch.arange(count, dtype=torch.int64)
    mixed = i * 7919 + number * 104729 + (i * i % 1009) * 31
    return (mixed % 2003).double() / 1001.0 - 1.0


def set_parameters(model):
    """Not the initial values: there, norms and biases would hide mistakes."""
    with torch.no_grad():
        for number, (name, value) in enumerate(
                sorted(model.named_parameters())):
            values = pattern(value.numel(), number).reshape(value.shape)
            if value.dim() > 1 and value.shape[0] > 1:
                fan_in = value.numel() // value.shape[0]
                values = values * math.sqrt(3.0 / fan_in)
            elif name.endswith("weight") and value.dim() == 1:
                values = 1.0 + 0.3 * values
            else:
                values = 0.5 * values
            value.copy_(values)


class Scale(torch.nn.Module):
    """Stands in for timm's DropPath: given factors instead of drawn ones."""

    def __init__(self, factors):
        super().__init__()
        self.factors = factors

    def forward(self, x):
        return x * self.factors.view(-1, 1, 1)


def backward(model, count, size, classes):
    images = pattern(count * 3 * size * size, 1000).reshape(count, 3, size, size)
    labels = torch.arange(count) % classes
    logits = model(images)
    torch.nn.functional.cross_entropy(logits, labels).backward()
    return logits.detach()


def write_vit():
    count, size, classes = 4, 16, 5
    out = {}
    for case in ("plain", "dropped"):
        model = timm.create_model(
            "vit_tiny_patch16_224", img_size=size, patch_size=4, embed_dim=12,
            num_heads=3, depth=3, mlp_ratio=2.0, num_classes=classes).double()
        set_parameters(model)
        if case == "dropped":
            factors = [torch.tensor([0.0 if (n + b) % 3 == 0 else 1.25
                                     for n in range(count)]).double()
                       for b in range(2 * len(model.blocks))]
            for i, block in enumerate(model.blocks):
                block.drop_path1 = Scale(factors[2 * i])
                block.drop_path2 = Scale(factors[2 * i + 1])
        out[f"{case}/logits"] = backward(model, count, size, classes)
        for name, value in model.named_parameters():
            out[f"{case}/{name}"] = value.grad.contiguous()
    save_file(out, HERE / "vit_gradients.safetensors")


def summary(tensor, number):
    flat = tensor.double().flatten()
    return [repr(flat.norm().item()),
            repr((flat * pattern(flat.numel(), number)).sum().item()),
            repr((flat * pattern(flat.numel(), number + 1)).sum().item())]


def write_resnets():
    count, size, classes = 4, 64, 5
    with open(HERE / "resnet_gradients.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "kind", "tensor", "norm", "product1",
                         "product2"])
        for name in ("resnet18", "resnet50"):
            model = timm.create_model(name, num_classes=classes).double()
            set_parameters(model)
            logits = backward(model, count, size, classes)
            writer.writerow([name, "logits", "logits"] + summary(logits, 1))
            for key, value in model.named_parameters():
                writer.writerow([name, "gradient", key]
                                + summary(value.grad, 1))
            for key, value in model.named_buffers():
                writer.writerow([name, "buffer", key] + summary(value, 1))


def write_types():
    """One tensor of each type, names that need escapes, a scalar, an empty."""
    types = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
             torch.float16, torch.bfloat16, torch.float32, torch.float64,
             torch.uint16, torch.uint32, torch.uint64]
    tensors = {f"t.{str(kind)[6:]}": torch.arange(3).to(kind).reshape(3, 1)
               for kind in types}
    tensors["t.bool"] = torch.tensor([True, False, True])
    tensors["t.float8_e4m3fn"] = torch.arange(3).float().to(torch.float8_e4m3fn)
    tensors["t.float8_e5m2"] = torch.arange(3).float().to(torch.float8_e5m2)
    tensors["t.complex64"] = torch.complex(torch.tensor([1.0]),
                                           torch.tensor([-2.0]))
    tensors["scalar"] = torch.tensor(0.5)
    tensors["empty"] = torch.zeros(0, 7)
    tensors['quote" back\\slash\ttab \u00e9\u2713'] = torch.tensor([math.nan])
    save_file(tensors, HERE / "types.safetensors", metadata={"format": "pt"})


def resampled(source, old, new, way):
    """[1, 1 + old^2, C] on the grid `new`, as a program does it."""
    if way == "timm":
        return resample_abs_pos_embed(source, new)
    if way == "timm_npz":
        return resample_abs_pos_embed(
            source, new, interpolation="bilinear", antialias=False)
    prefix, grid = source[:, :1], source[:, 1:].reshape(1, old, old, -1)
    if way == "deit":
        grid = torch.nn.functional.interpolate(
            grid.permute(0, 3, 1, 2), size=new, mode="bicubic",
            align_corners=False).permute(0, 2, 3, 1)
    else:  # big_vision's resample_posemb
        zoom = (new[0] / old, new[1] / old, 1)
        grid = torch.from_numpy(scipy.ndimage.zoom(grid[0].numpy(), zoom, order=1))
    return torch.cat([prefix, grid.reshape(1, new[0] * new[1], -1)], dim=1)


def write_positions():
    """Positions of one grid, and other programs' resampling to others.

    OLD: embeddings; WAY/OLD/HxW: the same on another grid; table/WINDOW: a table
    of relative positions with three extra rows; table/WINDOW/HxW: timm's of
    another window.
    """
    out = {}
    for old in (14, 7, 2):
        out[f"{old}"] = pattern((1 + old * old) * 6, old).float().reshape(1, -1, 6)
    for old, new in ((14, (24, 24)), (7, (3, 3)), (2, (5, 5)), (7, (4, 11))):
        for way in ("timm", "deit", "timm_npz", "big_vision"):
            out[f"{way}/{old}/{new[0]}x{new[1]}"] = resampled(
                out[f"{old}"], old, new, way)
    for old, new in ((7, (12, 12)), (7, (4, 4)), (4, (5, 9))):
        rows = (2 * old - 1) ** 2 + 3
        source = pattern(rows * 2, old).float().reshape(rows, 2)
        places = (2 * new[0] - 1) * (2 * new[1] - 1) + 3
        out[f"table/{old}"] = source
        out[f"table/{old}/{new[0]}x{new[1]}"] = resize_rel_pos_bias_table(
            source, new, (places, 2))
    save_file({key: value.contiguous() for key, value in out.items()},
              HERE / "positions.safetensors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    write_inits()
    write_vit()
    write_resnets()
    write_types()
    write_positions()
