#!/bin/sh
# Runs the measurements and checks that need a GPU, in parts of less than nine minutes.
#
# usage: bench/gpu.sh [-fake] [-quick] [-o FOLDER] [-seconds N] [-only TEXT] PART...
#   PART       A correctness, B throughput compared with timm eager and compiled,
#              C profile of a step, D single parts of a step, E loader, F start and
#              checkpoints, G networks and rules compared with the CPU, H a published
#              recipe, or all
#   -fake      runs with tests/fake_cuda, without a GPU: everything runs, but no number
#              is meaningful, and rows that need arithmetic are not judged
#   -quick     tiny networks and few steps, to see that everything works
#   -o FOLDER  folder for a JSON file per part ($OUT, else build/gpu-results)
#   -seconds N deadline of a part (500): rows that do not fit are skipped and named
#   -only TEXT only rows whose names contain this text
#
# Exit code: 0 all judged rows hold, 1 a row fails, 2 wrong usage or no GPU.
# VITRAIN_PEER_PYTHON: a Python with torch 2.11 and timm (python3). Works in a checkout
# built for CUDA, and in the unpacked archive of bench/gpu_pack.sh.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
case ${1-} in
  '' | -h | -help | --help)
    sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2 ;;
esac
exec "${VITRAIN_PEER_PYTHON:-python3}" "$root/bench/gpu/main.py" "$@"
