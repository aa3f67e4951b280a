#!/bin/bash
# first_cause.sh RUNS [SEED]: makes RUNS runs of two workers fail at random and counts
# how many name the right worker and cause, and how many do so within 5 s of the fault.
# The 5 s include the time limit of a step, an evaluation or a checkpoint, here 2 s.
set -u
runs=${1:?usage: first_cause.sh RUNS [SEED]}
RANDOM=${2:-1}
build=$(readlink -f "$(dirname "$0")/../build/release")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Images of noise, 16 pixels a side.
for class in a b; do
  mkdir -p "$work/images/$class"
  for i in $(seq 40); do
    { printf 'P6\n16 16\n255\n'; head -c 768 /dev/urandom; } > "$work/images/$class/$i.ppm"
  done
done
cat > "$work/run.yaml" <<END
run: {epochs: 100000, name: r}
model: {name: vit_tiny_patch16_224, image_size: 16, patch_size: 8, embed_dim: 32, depth: 2, num_heads: 2}
data:
  train: {kind: folder, path: $work/images}
  eval: {kind: folder, path: $work/images}
  batch_size: 8
  eval_batch_size: 8
  preprocess: {crop_pct: 1.0}
  augment: {crop: pad, padding: 2}
schedule: {warmup: 1st}
checkpoint: {every: 20st}
eval: {every: 50st}
dist: {timeouts: {setup: 60.0, step: 2.0, eval: 2.0, checkpoint: 2.0}}
END

faults=(kill stop hang-data hang-exchange hang-save memory nan)
right=0
quick=0
for ((i = 0; i < runs; ++i)); do
  fault=${faults[RANDOM % ${#faults[@]}]}
  rank=$((RANDOM % 2))
  count=$((RANDOM % 200 + 1))
  code=7
  case $fault in
    kill)
      signals=(9 11 6 7)
      signal=${signals[RANDOM % 4]}
      points=(data exchange loss)
      plan=$rank:${points[RANDOM % 3]}:$count:$signal
      words="killed by signal $signal "
      ;;
    stop) plan=$rank:loss:$count:19 words='was stopped by signal 19 ' ;;
    hang-data) plan=$rank:data:$count:hang words='(reading .*/images/./[0-9]*.ppm' ;;
    hang-exchange) plan=$rank:exchange:$count:hang words='(all-reduce [0-9]* (' ;;
    hang-save) rank=0 plan=0:save:$((count % 20 + 1)):hang words='(writing the checkpoint)' ;;
    memory) plan=$rank:loss:$count:memory words='is out of memory in ' code=6 ;;
    nan) plan=$rank:loss:$((count % 40 + 1)):nan words="of rank $rank is not finite" code=5 ;;
  esac
  FAULT=$plan FAULT_PATH=$work/images FAULT_MARK=$work/mark LD_PRELOAD=$build/tests/faults.so \
    timeout 60 "$build/vitrain" -cfg "$work/run.yaml" -output "$work/runs" -devices cpu:2 \
    > "$work/out" 2> "$work/err"
  got=$?
  seconds=$(awk -v end="$(cut -d' ' -f1 /proc/uptime)" '{ print end - $1 }' "$work/mark")
  if [ $got = $code ] && grep -q "$words" "$work/err" &&
    { [ $code = 5 ] || grep -q "^rank $rank (pid" "$work/err"; }; then
    right=$((right + 1))
    awk -v s="$seconds" 'BEGIN { exit !(s <= 5) }' && quick=$((quick + 1)) ||
      echo "run $i, $plan: named after $seconds s"
  else
    echo "run $i, $plan: exit code $got:"
    cat "$work/err"
  fi
  rm -rf "$work/runs" "$work/mark"
done
echo "$right of $runs faults named right, $quick of them within 5 s"
