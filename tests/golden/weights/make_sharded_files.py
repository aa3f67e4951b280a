#!/usr/bin/env python3
"""Writes transformers_vit.safetensors (make_files.py) divided among several files:
sharded/ as save_pretrained(max_shard_size=...) does it, and sharded_bin/ as its
versions before 5 did with safe_serialization=False, which is torch.save of what
huggingface_hub puts into each file.

Needs torch 2.11, transformers 5.24, huggingface_hub, safetensors.
"""

import json
import pathlib
import shutil
import tempfile

import torch
import transformers
from huggingface_hub import split_torch_state_dict_into_shards
from safetensors.torch import load_file, save_file

HERE = pathlib.Path(__file__).resolve().parent
LARGEST = "16KB"


def model_of(state):
    """transformers' model with these weights."""
    config = transformers.ViTConfig(
        num_labels=7, image_size=32, hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=64, patch_size=8, layer_norm_eps=1e-6)
    with tempfile.TemporaryDirectory() as folder:
        config.save_pretrained(folder)
        save_file(state, pathlib.Path(folder) / "model.safetensors", {"format": "pt"})
        return transformers.ViTForImageClassification.from_pretrained(
            folder, dtype=torch.float32)


def write_bins(state, folder):
    split = split_torch_state_dict_into_shards(
        state, filename_pattern="pytorch_model{suffix}.bin", max_shard_size=LARGEST)
    for name, tensors in split.filename_to_tensors.items():
        torch.save({tensor: state[tensor] for tensor in tensors}, folder / name)
    index = {"metadata": split.metadata, "weight_map": split.tensor_to_filename}
    text = json.dumps(index, indent=2, sort_keys=True) + "\n"
    (folder / "pytorch_model.bin.index.json").write_text(text, encoding="utf-8")


def main():
    folders = [HERE / "sharded", HERE / "sharded_bin"]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    state = load_file(HERE / "transformers_vit.safetensors")
    model_of(state).save_pretrained(folders[0], max_shard_size=LARGEST)
    write_bins(state, folders[1])


if __name__ == "__main__":
    main()
