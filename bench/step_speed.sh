# Functions shared by the comparisons of a train step on the CPU, which source this file
# and set root, work, steps and skip before.
# shellcheck shell=sh disable=SC2154

say() { echo "[bench] $*" >&2; }

# Prints the usage comment of the script that sources this, and exits.
usage() {
  sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
  exit 2
}

report() { python3 "$root/bench/report.py" "$@"; }

# precisions_of MODEL[:PRECISION]: prints the precisions to run, without bf16 if the
# processor has no instructions for it.
precisions_of() {
  case $1 in
    *:*) asked=${1#*:} ;;
    *) asked="fp32 bf16" ;;
  esac
  for one in $asked; do
    if [ "$one" = bf16 ] && ! grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo; then
      say "$1 bf16: left out, this processor has no bf16 instructions"
    else
      echo "$one"
    fi
  done
}

# check_rows ROW...: exits with the usage text if a row is malformed. Call it before
# anything is installed or built.
check_rows() {
  for one in "$@"; do
    case $one in
      -* | :* | *:*:*) usage ;;
      *:fp32 | *:bf16) ;;
      *:*) usage ;;
    esac
  done
}

# vitrain_run TREE BATCH PRECISION OPTION...: prints the images/s of TREE's binary with
# TREE's recipe.
vitrain_run() {
  tree=$1
  set_batch=data.batch_size=$2
  set_precision=train.precision=$3
  shift 3
  rm -rf "$work/runs"
  if ! "$tree/build/release/vitrain" -cfg "$tree/configs/bench_models.yaml" \
    -devices cpu:1 -output "$work/runs" -set run.max_steps="$steps" \
    -set "$set_batch" -set "$set_precision" "$@" >"$work/ours.log" 2>&1; then
    cat "$work/ours.log" >&2
    say "vitrain of $tree failed"
    exit 1
  fi
  report speed "$work"/runs/*/metrics.jsonl "$skip"
}
