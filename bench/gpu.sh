#!/bin/sh
# What is to be measured and checked when a GPU is at hand, in parts of less than
# nine minutes.
#
# usage: bench/gpu.sh [-fake] [-quick] [-o FOLDER] [-seconds N] [-only TEXT] PART...
#   PART       A correctness, B throughput beside timm eager and compiled, C profile of
#              a step, D parts of a step alone, E loader, F start and checkpoints,
#              G networks and rules beside the CPU, H a published recipe, or all
#   -fake      over tests/fake_cuda, without a GPU: everything runs through, no
#              number means anything, what needs arithmetic is not judged
#   -quick     tiny networks and few steps, to see that all of it works
#   -o FOLDER  a JSON file per part ($OUT, else build/gpu-results)
#   -seconds N a part's deadline (500): what does not fit is left out, and named
#   -only TEXT only rows whose names have this text
#
# Exit code: 0 all judged rows hold, 1 a row fails, 2 wrong usage, or nothing to
# run on. VITRAIN_PEER_PYTHON is a Python with torch 2.11 and timm (python3). It
# runs in a checkout that is built for CUDA, and in what bench/gpu_pack.sh packs.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
case ${1-} in
  '' | -h | -help | --help)
    sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2 ;;
esac
exec "${VITRAIN_PEER_PYTHON:-python3}" "$root/bench/gpu/main.py" "$@"
