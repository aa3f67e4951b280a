#!/bin/sh
# Compares run.determinism: elastic with fast, with the same network, global batch and
# two workers on this machine's CPU, in turns (configs/bench_vit_cifar.yaml).
#
# usage: bench/compare_elastic.sh [shards]     default: 8
# The last line is `ratio R`: images/s of elastic / fast.
#
# Settings: PAIRS (5), STEPS (30), SKIP (6: first steps not counted), BATCH (128: images
# of a step).
set -eu

shards=${1:-8}
pairs=${PAIRS:-5}
steps=${STEPS:-30}
skip=${SKIP:-6}
batch=${BATCH:-128}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-elastic.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# speed DETERMINISM: prints the images/s of one run.
speed() {
  rm -rf "$work/runs"
  if ! "$root/build/release/vitrain" -cfg "$root/configs/bench_vit_cifar.yaml" \
    -devices cpu:2 -output "$work/runs" -set run.max_steps="$steps" \
    -set data.train.kind=random -set data.train.count=4096 -set data.train.size=32 \
    -set data.train.classes=10 -set data.eval.kind=random -set data.eval.count=64 \
    -set data.eval.size=32 -set data.eval.classes=10 -set log.every=1 \
    -set data.batch_mode=global -set data.batch_size="$batch" \
    -set run.shards="$shards" -set run.determinism="$1" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
  fi
  python3 "$root/bench/report.py" speed "$work"/runs/*/metrics.jsonl "$skip"
}

pair=0
while [ "$pair" -lt "$pairs" ]; do
  elastic=$(speed elastic)
  fast=$(speed fast)
  echo "$elastic $fast" >>"$work/pairs"
  echo "[bench] elastic $elastic, fast $fast images/s" >&2
  pair=$((pair + 1))
done
echo "2 workers, $(nproc) cores, $shards shards of $((batch / shards)) images, images/s:"
python3 "$root/bench/report.py" pairs "$work/pairs" |
  sed 's/^ours  :/elastic:/; s/^theirs:/fast:/
    s/^ours \/ theirs:/elastic \/ fast:/'
