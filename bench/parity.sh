#!/bin/sh
# Our networks beside timm's, with the same random weights and images: logits in
# training and in evaluation, and every gradient of a cross entropy, in fp32.
# Where logits differ by more than 1e-5 of the largest or a gradient by more than
# 1e-4 of its largest value, because roundings decide about a ReLU, all of it is
# compared in fp64 as well.
#
# usage: bench/parity.sh [NAME[@SIDE]...]      (with wildcards; default: every name)
#
# NAME@SIDE is a network for images of another size, where what its layers keep of
# its own does not fit the memory.
#
# Prints a table for docs/models.md, where logits are more than 1e-5 apart with what
# timm's own in fp32 are from its own in fp64, and how many names differ: by more than
# that in fp32 and by more than 1e-9 in fp64; ends with 1 if any does.
#
# Settings: MILLIONS (2000): networks of more parameters are named, not run. One
#   takes 4 bytes of memory a parameter, 8 in fp64, and what its layers keep; and
#   8 to 12 bytes a parameter of TMPDIR's disk. VITRAIN_PEER_PYTHON (a Python with
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
