#!/bin/sh
# Compares the outputs of exported files (`vitrain export`) in other programs: loads a
# network of each family with random weights as safetensors into timm (strict), as
# TorchScript with torch.jit.load, as ONNX into ONNX Runtime; runs batches of 1, 3, 4.
#
# usage: bench/parity_export.sh [NAME...]    (default: peers/export_models.py's)
#
# Prints a line for each network: the largest difference of the outputs, relative to the
# largest output, between TorchScript and timm, and between ONNX and TorchScript (which
# `vitrain export` itself has compared with the network). Exits with 1 if a difference is
# above 1e-4, or if a tensor of the module differs from timm's. NAME@SIDE is a network
# for images of another size: vit_huge_patch14_224@28 has more weights than fit into an
# ONNX file, so they are stored in a second file; it needs 14 GB of memory and 10 GB of
# disk.
#
# Settings: VITRAIN_PEER_PYTHON (a Python with torch, timm, safetensors, onnx and
#   onnxruntime; default: installed into the user's cache).
set -eu

case ${1-} in
  -*) sed -n '/^# What/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2 ;;
esac
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$root/bench/peer.sh"

"$root/tools/setup.sh" train
find_peer "$cache" "onnx==1.23.2 onnxruntime==1.32.0"
# Trains networks that timm does not have for one step.
for name in mnist_convnet mlp hvt_ti_1_patch16_224; do
  "$root/build/release/vitrain" -cfg "$root/configs/shapes_vit_tiny.yaml" \
    -devices cpu:1 -output "$work/$name" -set model.name="$name" \
    -set run.max_steps=1 -set data.train.count=64 -set data.eval.count=32 \
    -set schedule.warmup=0st >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
"$peer" "$root/bench/peers/export_models.py" \
  "$root/build/release/vitrain" "$work" "$@"
