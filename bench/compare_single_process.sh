#!/bin/sh
# Compares dist.mode: single_process with one process per device, with the same model,
# batches and devices (configs/bench_modes.yaml), on this machine's CPU.
#
# usage: bench/compare_single_process.sh [devices]     default: 2
# The last line is `ratio R`: images/s of single_process / processes.
#
# Settings: PAIRS (5), STEPS (40), SKIP (8: first steps not counted).
set -eu

devices=${1:-2}
pairs=${PAIRS:-5}
steps=${STEPS:-40}
skip=${SKIP:-8}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-single.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# speed MODE: prints the images/s of one run.
speed() {
  rm -rf "$work/runs"
  if ! "$root/build/release/vitrain" -cfg "$root/configs/bench_modes.yaml" \
    -devices "cpu:$devices" -output "$work/runs" -set run.max_steps="$steps" \
    -set dist.mode="$1" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
  fi
  python3 "$root/bench/report.py" speed "$work"/runs/*/metrics.jsonl "$skip"
}

pair=0
while [ "$pair" -lt "$pairs" ]; do
  single=$(speed single_process)
  processes=$(speed processes)
  echo "$single $processes" >>"$work/pairs"
  echo "[bench] single_process $single, processes $processes images/s" >&2
  pair=$((pair + 1))
done
echo "$devices CPU devices, $(nproc) cores, images/s:"
python3 "$root/bench/report.py" pairs "$work/pairs" |
  sed 's/^ours  :/single_process:/; s/^theirs:/processes:/
    s/^ours \/ theirs:/single_process \/ processes:/'
