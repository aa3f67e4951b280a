#!/bin/sh
# Compares vitrain's networks with timm's, with the same random weights and images:
# logits in training and in evaluation, and every gradient of a cross entropy, in fp32.
# If logits differ by more than 1e-5 of the largest logit, or a gradient by more than
# 1e-4 of its largest value, for example because rounding flips a ReLU, everything is
# compared in fp64 as well.
#
# usage: bench/parity.sh [NAME[@SIDE]...]      (with wildcards; default: every name)
#
# NAME@SIDE runs a network with images of another size, for networks whose activations
# at their own size do not fit into memory.
#
# Prints a table for docs/models.md; if logits differ by more than 1e-5, the row also has
# the difference between timm's logits in fp32 and in fp64. Then prints how many networks
# differ, that is by more than the limits in fp32 and by more than 1e-9 in fp64; exits
# with 1 if any does.
#
# Settings: MILLIONS (2000): larger networks (in million parameters) are listed, not run.
#   A network takes 4 bytes of memory per parameter, 8 in fp64, plus its activations; and
#   8 to 12 bytes per parameter of TMPDIR's disk. VITRAIN_PEER_PYTHON (a Python with
#   torch and timm; default: installed into the user's cache).
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
ninja -C "$root/build/release" parity >/dev/null
find_peer "$cache"
exec "$peer" "$root/bench/peers/parity.py" \
  "$root/build/release/bench/parity" "${MILLIONS:-2000}" "$@"
