#!/usr/bin/env python3
"""Writes lora.safetensors and lora_outputs.safetensors beside this file.

Needs peft 0.17.1, transformers 4.57.1, timm 1.0.31 and torch 2.11:
python3 make_lora.py

A small ViT with peft's adapters: its tensors by the names of our checkpoints;
and, for random images, peft's logits, those after peft's merge_and_unload(), and
the gradients of the cross entropy in double precision.
"""

import pathlib

import timm
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent
RANK, ALPHA, CLASSES = 3, 6, 5

generator = torch.Generator().manual_seed(11)


def numbers(*shape):
    return torch.randn(*shape, generator=generator).double()


torch.manual_seed(5)
network = timm.create_model(
    "vit_tiny_patch16_224", img_size=16, patch_size=8, embed_dim=16, depth=2,
    num_heads=2, num_classes=CLASSES)
model = get_peft_model(network, LoraConfig(
    r=RANK, lora_alpha=ALPHA, target_modules=["qkv", "attn.proj"],
    modules_to_save=["head"]))
with torch.no_grad():
    for name, value in model.named_parameters():
        if "norm" not in name:
            # Rounded to fp32, the type of the file.
            value.copy_((0.4 * numbers(*value.shape)).float())
model = model.double().eval()

saved = {}
for name, value in model.state_dict().items():
    name = name.removeprefix("base_model.model.").replace(".base_layer", "")
    if "original_module" in name:
        continue
    name = name.replace(".modules_to_save.default", "").replace(".default", "")
    saved[name] = value.float().contiguous()
    if name.endswith("lora_A.weight"):
        saved[name.replace("lora_A.weight", "lora_alpha")] = torch.tensor(ALPHA)
save_file(saved, HERE / "lora.safetensors")

images = numbers(4, 3, 16, 16).float().double()
labels = torch.tensor([0, 3, 4, 1])
logits = model(images)
torch.nn.functional.cross_entropy(logits, labels).backward()
outputs = {"images": images, "labels": labels, "logits": logits.detach()}
for name, value in model.named_parameters():
    if value.requires_grad:
        name = name.removeprefix("base_model.model.").replace(".default", "")
        name = name.replace(".modules_to_save", "")
        outputs["gradient." + name] = value.grad
outputs["merged"] = model.merge_and_unload()(images).detach()
save_file(
    {name: value if name == "labels" else value.float().contiguous()
     for name, value in outputs.items()},
    HERE / "lora_outputs.safetensors")
