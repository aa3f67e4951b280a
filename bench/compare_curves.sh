#!/bin/sh
# Runs the first steps of a recipe in vitrain and in PyTorch with timm, from the same
# weights and with vitrain's batches and random draws (log.batches). Compares the loss
# of every step, the last weights and their average.
#
# usage: bench/compare_curves.sh [deit|a2|distill|token]...      (default: all)
#
# deit: configs/imagenet_deit_tiny.yaml in full (mixup, cutmix, smoothing,
#   RandAugment, erasing, EMA, drop path), plus layer decay.
# a2: configs/imagenet_resnet50_a2.yaml (LAMB, binary cross entropy with a
#   threshold, repeated augmentation, drop path) from timm's initial weights and with
#   the recipe's warm-up.
# distill: deit with a ResNet-18 as teacher (DeiT's soft distillation).
# token: distill with a student that has a distillation token and head.
#
# Settings: STEPS (100), BATCH (16; a2: 128), IMAGE (96, pixels), WARMUP (20 steps;
#   a2: 3125), DATA (a folder with train/ and val/; default: generated images),
#   EXACT (1; a2: 0, without PyTorch in double precision, which takes longest),
#   VITRAIN_PEER_PYTHON.
#
# Prints the differences: of each loss, relative; of the weights (and of BatchNorm's
# running statistics, which are not learned), the norm of the difference relative to
# the norm. Exits with 1 if losses differ by more than 1e-4, weights by more than 1e-3
# or their averages by more than 1e-4.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
case ${1-} in
  -*)
    sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
    ;;
esac
mkdir -p "$cache"
. "$root/bench/peer.sh"

"$root/tools/setup.sh" train >&2
find_peer "$cache"
status=0
for recipe in ${*:-deit a2 distill token}; do
  "$peer" "$root/bench/peers/curves.py" "$recipe" "$root" || status=1
done
exit $status
