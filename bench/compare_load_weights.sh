#!/bin/sh
# Measures the seconds to load ViT-B/16 (346 MB, page cache warm) into the model, per
# format: vitrain compared with safetensors' load_file, torch.load and numpy.load, each
# followed by load_state_dict.
#
# usage: bench/compare_load_weights.sh
#
# Prints the seconds of both, the memory that vitrain used beyond the model, and as
# the last line `ratio R` for safetensors: theirs / ours.
#
# Settings: PAIRS (5), VITRAIN_PEER_PYTHON (a Python with torch, timm, numpy and
#   safetensors; default: installed into the user's cache).
set -eu

pairs=${PAIRS:-5}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
if [ $# -ne 0 ]; then
  sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
  exit 2
fi
mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$root/bench/peer.sh"

"$root/tools/setup.sh" train
ninja -C "$root/build/release" load_weights >/dev/null
find_peer "$cache"
peers=$root/bench/peers/load_weights.py
"$peer" "$peers" write "$work"

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for file in vit.safetensors vit.pth vit_legacy.pth vit.npz; do
  for i in $(seq "$pairs"); do
    "$root/build/release/bench/load_weights" vit_base_patch16_224 \
      "$work/$file" 3 >>"$work/ours"
    "$peer" "$peers" load "$work/$file" >>"$work/theirs"
  done
  ours=$(median <"$work/ours")
  theirs=$(median <"$work/theirs")
  memory=$(awk '{ if ($2 > most) most = $2 } END { print most + 0 }' "$work/ours")
  ratio=$(echo "$theirs $ours" | awk '{ printf "%.2f", $1 / $2 }')
  echo "$file: ours $ours s (+$memory MB), theirs $theirs s, ratio $ratio"
  : "${first:=$ratio}"
  rm "$work/ours" "$work/theirs"
done
echo "ratio $first"
