#!/bin/sh
# Measures what optional outputs cost a run: pairs of runs with and without each.
#
# usage: bench/report_cost.sh [pages] [samples] [evaluation] [mlflow]     (all of them)
#
# pages       report.html after each evaluation, and the records that it is made of
#             (`log.jsonl`): 10 evaluations per run, so that a page is written about
#             every second. Images/s of training. First prints the seconds to write a
#             page of a run of 300 epochs.
# samples     samples.png (`log.samples`), with TensorBoard's copy of it
# evaluation  the folder evaluation/ of -eval, with its records
# mlflow      `log.mlflow`, a record of every step, to a server on this machine that
#             accepts all requests and stores nothing
#
# The last three are images/s of the whole command, start and end included. Each part ends
# with `ratio R`: the median of with / without over the pairs.
#
# Settings: PAIRS (7), STEPS (400).
set -eu

pairs=${PAIRS:-7}
steps=${STEPS:-400}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
for part in "$@"; do
  case $part in
    pages | samples | evaluation | mlflow) ;;
    *)
      sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
      exit 2 ;;
  esac
done
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-report.XXXXXX")
server=
finish() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
export OMP_NUM_THREADS=1

"$root/tools/setup.sh" train

# run WORDS...: runs the recipe; writes the images/s of the whole command to $work/speed.
run() {
  rm -rf "$work/runs"
  begin=$(date +%s%N)
  if ! "$root/build/release/vitrain" -cfg "$root/configs/bench_modes.yaml" \
    -output "$work/runs" -devices cpu:2 "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
  fi
  end=$(date +%s%N)
  # The recipe's batch: 16 images on each of two workers.
  awk -v steps="$steps" -v ns=$((end - begin)) 'BEGIN {print 32 * steps * 1e9 / ns}' >"$work/speed"
}
train() {
  run -set run.max_steps="$steps" -set checkpoint.every="${steps}st" "$@"
}

# speed_PART true|false: runs with (true) or without (false) the output; prints images/s.
speed_pages() {
  train -set eval.every="$((steps / 10))st" -set log.jsonl="$1" -set log.csv=true
  # Mean over all steps, as printed at the end of the run.
  sed -n 's/^  trained .*, \([0-9,]*\) images\/s$/\1/p' "$work/log" | tr -d ,
  if [ "$1" = true ]; then
    sed -n 's/^report.html: /a run'"'"'s pages: /p' "$work"/runs/*/log/workerlog.0 >"$work/said"
  fi
}
speed_samples() {
  train -set log.samples="$1"
  cat "$work/speed"
  if [ "$1" = true ]; then
    echo "samples.png: $(stat -c %s "$work"/runs/*/samples.png) bytes" >"$work/said"
  fi
}
speed_evaluation() {
  run -eval -pretrained "$work/judged" -set data.eval.count="$((32 * steps))" \
    -set log.jsonl="$1" -set log.csv="$1" -set log.tensorboard="$1"
  cat "$work/speed"
  if [ "$1" = true ]; then
    echo "evaluation/: $(cat "$work"/runs/*/evaluation/* | wc -c) bytes" >"$work/said"
  fi
}
speed_mlflow() {
  : >"$work/address.log"
  if [ "$1" = true ]; then
    train -set log.mlflow="$(cat "$work/address")"
    echo "requests: $(wc -l <"$work/address.log"), $(awk '{n += $3} END {print n + 0}' "$work/address.log") bytes" >"$work/said"
  else
    train
  fi
  cat "$work/speed"
}

# compare PART WHAT: runs the pairs of a part, alternating which run comes first.
compare() {
  : >"$work/pairs"
  for pair in $(seq "$pairs"); do
    if [ $((pair % 2)) = 1 ]; then
      "speed_$1" true >"$work/with"
      "speed_$1" false >"$work/without"
    else
      "speed_$1" false >"$work/without"
      "speed_$1" true >"$work/with"
    fi
    echo "$(cat "$work/with") $(cat "$work/without")" >>"$work/pairs"
  done
  echo "--- $2"
  cat "$work/said"
  python3 "$root/bench/report.py" pairs "$work/pairs" |
    sed 's/^ours  :/images\/s with:/; s/^theirs:/without:/; s/^ours \/ theirs:/with \/ without:/'
}

if [ $# = 0 ]; then
  set -- pages samples evaluation mlflow
fi
for part in "$@"; do
  case $part in
    pages)
      ninja -C "$root/build/release" report_pages >/dev/null
      "$root/build/release/bench/report_pages" "$work"
      compare pages "report.html" ;;
    samples) compare samples "samples.png" ;;
    evaluation)
      run -set run.max_steps=1
      mv "$work"/runs/* "$work/judged"
      compare evaluation "evaluation/" ;;
    mlflow)
      python3 "$root/bench/peers/fake_mlflow.py" "$work/address" &
      server=$!
      until [ -e "$work/address" ]; do sleep 0.1; done
      compare mlflow "log.mlflow" ;;
  esac
done
