#!/bin/sh
# Measures the milliseconds of an optimizer step over the 25.6 million parameters of a
# ResNet-50, for each rule: vitrain compared with torch's fused or foreach optimizer,
# or with timm's if torch has none.
#
# usage: bench/compare_optimizers.sh [RULE...]
#
# Prints a line for each rule, `RULE: ours A ms, theirs B ms, ratio R`, with R =
# steps per second of ours / theirs, and as the last line `ratio R`, the smallest R.
#
# Settings: THREADS (2), STEPS (20) per run, PAIRS (3) of runs, of which the
#   fastest counts; VITRAIN_PEER_PYTHON (a Python with torch and timm; default:
#   installed into the user's cache).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
mkdir -p "$cache"
. "$root/bench/peer.sh"
find_peer "$cache"
if [ $# -eq 0 ]; then
  set -- adamw adamw+ adam nadamw sgd lamb lars lion lion+ rmsprop rmsprop_tf \
    adagrad adan adafactor muon
fi
"$root/tools/setup.sh" train
ninja -C "$root/build/release" optimizer_step >/dev/null
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for rule in "$@"; do
  for i in $(seq "${PAIRS:-3}"); do
    "$root/build/release/bench/optimizer_step" "${THREADS:-2}" "${STEPS:-20}" \
      "$rule" >>"$work/ours"
    "$peer" "$root/bench/peers/optimizer_step.py" "${THREADS:-2}" \
      "${STEPS:-20}" "$rule" >>"$work/theirs"
  done
  ours=$(sort -k2n "$work/ours" | awk 'NR == 1 { print $2 }')
  theirs=$(sort -k2n "$work/theirs" | awk 'NR == 1 { print $2 }')
  ratio=$(echo "$ours $theirs" | awk '{ printf "%.2f", $2 / $1 }')
  echo "$rule: ours $ours ms, theirs $theirs ms, ratio $ratio"
  echo "$ratio" >>"$work/ratios"
  rm "$work/ours" "$work/theirs"
done
echo "ratio $(sort -n "$work/ratios" | head -n 1)"
