#!/bin/sh
# What report.html costs a run that writes it after each evaluation.
#
# usage: bench/report_cost.sh
#
# Prints the seconds that a page of a run of 300 epochs takes, and images/s of
# training with pages, and the records that they are made of, and without both
# (`log.jsonl`), in turns: 10 evaluations a run, so that a page is written in
# every second or so. The last line is `ratio R`: with / without, the median of
# the pairs.
#
# Settings: PAIRS (7), STEPS (400).
set -eu

pairs=${PAIRS:-7}
steps=${STEPS:-400}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
if [ $# -ne 0 ]; then
  sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
  exit 2
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-report.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export OMP_NUM_THREADS=1

"$root/tools/setup.sh" train
ninja -C "$root/build/release" report_pages >/dev/null
"$root/build/release/bench/report_pages" "$work"

# speed_with true|false: images/s of one run, and what its log says of pages.
speed_with() {
  rm -rf "$work/runs"
  if ! "$root/build/release/vitrain" -cfg "$root/configs/bench_modes.yaml" \
    -output "$work/runs" -devices cpu:2 -set run.max_steps="$steps" \
    -set eval.every="$((steps / 10))st" -set checkpoint.every="${steps}st" \
    -set log.jsonl="$1" -set log.csv=true >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
  fi
  sed -n 's/^report.html: //p' "$work"/runs/*/log/workerlog.0 >"$work/said"
  # Of all steps, as the run says at its end.
  sed -n 's/^  trained .*, \([0-9,]*\) images\/s$/\1/p' "$work/log" | tr -d ,
}

: >"$work/pairs"
for pair in $(seq "$pairs"); do
  if [ $((pair % 2)) = 1 ]; then
    with=$(speed_with true)
    said=$(cat "$work/said")
    without=$(speed_with false)
  else
    without=$(speed_with false)
    with=$(speed_with true)
    said=$(cat "$work/said")
  fi
  echo "$with $without" >>"$work/pairs"
done
echo "a run's pages: $said"
python3 "$root/bench/report.py" pairs "$work/pairs" |
  sed 's/^ours  :/images\/s with pages:/; s/^theirs:/without:/; s/^ours \/ theirs:/with \/ without:/'
