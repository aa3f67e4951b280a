#!/bin/sh
# Measures the cost of the ways to exchange gradients on this machine's CPU; prints
# tables in Markdown. Every worker computes on one thread, so that each additional
# worker uses one more core.
#
# usage: bench/compare_modes.sh [workers|delay|server|predict|compress]
#   workers  images/s, step time and speed-up at 1, 2 and 4 workers, with the
#            batch per device fixed, and with the global batch fixed
#   delay    every mode of dist.sync with two nodes of one worker each, between
#            two network namespaces 0, 1, 10 and 50 ms apart (needs root)
#   server   async_ps compared with allreduce at 1 to 4 workers
#   predict  cost of dist.sync.predict with two workers: medians of three runs
#            with and without it, in turns (async_ps predicts only for workers
#            whose last gradient was late)
#   compress every dist.compress, and train.prune, with 21 million parameters and 8
#            images per worker: on this machine, and as two nodes with 1000 and 100
#            megabits per second between them (needs root)
#   (nothing) all five
# The last line is `ratio R`: images/s of the fastest mode / allreduce at the largest
# delay; without `delay`, the speed-up of two workers; for `predict` alone,
# delayed_allreduce with / without prediction; for `compress` alone, topk / none over
# the slowest link.
#
# Settings: STEPS (40), SKIP (8: first steps not counted), DELAYS ("0 1 10 50"), RATES ("1000 100").
# With `delay`, metrics are recorded only every SKIP steps: a record is a collective,
# and its round trip in every step would hide what the modes save.
set -eu

what=${1:-all}
steps=${STEPS:-40}
skip=${SKIP:-8}
delays=${DELAYS:-0 1 10 50}
rates=${RATES:-1000 100}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
case $what in
  workers | delay | server | predict | compress | all) ;;
  *) sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2 ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-modes.XXXXXX")
spaces="vitrain-a-$$ vitrain-b-$$"
link=
export OMP_NUM_THREADS=1
clean_up() {
  if [ -n "$link" ]; then kill "$link" 2>/dev/null || true; wait "$link" || true; fi
  for space in $spaces; do ip netns del "$space" 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# vitrain OPTION...: runs the recipe of all measurements: a small model on generated
# images, so that neither files nor decoding are measured.
vitrain() {
  # shellcheck disable=SC2086 # a command, or nothing
  ${prefix-} "$root/build/release/vitrain" -cfg "$root/configs/bench_modes.yaml" \
    -output "$work/runs" -set run.max_steps="$steps" -set run.name=modes "$@"
}

# run NAME COMMAND...: runs a command and moves the metrics of its run to $work/NAME.
run() {
  name=$1
  shift
  rm -rf "$work/runs"
  if ! "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "[bench] $name failed" >&2
    exit 1
  fi
  mv "$work"/runs/*/metrics.jsonl "$work/$name"
}

speed() { python3 "$root/bench/report.py" speed "$work/$1" "$skip"; }
wait_share() { python3 "$root/bench/report.py" exposed "$work/$1" "$skip"; }
divide() { echo "$1 $2" | awk '{printf "%.2f", $1 / $2}'; }

compare_workers() {
  echo "| batch mode | workers | images/s | ms a step | speed-up | waiting for the exchange |"
  echo "| --- | --- | --- | --- | --- | --- |"
  for mode in per_device global; do
    for workers in 1 2 4; do
      size=16
      if [ $mode = global ]; then size=32; fi
      run "$mode-$workers" vitrain -devices cpu:$workers \
        -set data.batch_mode=$mode -set data.batch_size=$size
      rate=$(speed "$mode-$workers")
      if [ $workers = 1 ]; then one=$rate; fi
      images=$size
      if [ $mode = per_device ]; then images=$((size * workers)); fi
      echo "| $mode, $size | $workers | $rate |" \
        "$(divide $((images * 1000)) "$rate") | $(divide "$rate" "$one") |" \
        "$(wait_share "$mode-$workers") |"
      if [ $mode-$workers = per_device-2 ]; then ratio=$(divide "$rate" "$one"); fi
    done
  done
  echo "($(env -u OMP_NUM_THREADS nproc) cores: more workers than cores share them)"
}

# options_of MODE: sets $options for a mode of dist.sync.
options_of() {
  options="-set dist.sync.mode=$1"
  case $1 in
    local_sgd | post_local_sgd | diloco) options="$options -set dist.sync.period=8" ;;
    hierarchical_sgd) options="$options -set dist.sync.periods=[4,8]
      -set dist.sync.group_sizes=[1,-1]" ;;
    overlap_average) options="$options -set dist.sync.period=8 -set dist.sync.delay=2" ;;
    async_ps) options="$options -set dist.sync.max_staleness=4" ;;
  esac
}

# two_nodes OPTION...: trains on two nodes, one in each namespace; the first one writes
# the run folder.
two_nodes() {
  set -- "$@" -nnodes 2 -devices cpu:1 -master 10.77.0.1:29611
  first=${spaces% *} second=${spaces#* }
  in_space "$second" "$@" -node_rank 1 -set log.progress=off >"$work/second" 2>&1 &
  other=$!
  status=0
  in_space "$first" "$@" -node_rank 0 || status=$?
  wait $other || status=$?
  if [ $status != 0 ]; then cat "$work/second"; fi
  return $status
}

in_space() (
  prefix="ip netns exec $1"
  shift
  vitrain "$@"
)

# join MS [MBIT]: connects the namespaces by a link with a delay of MS milliseconds and,
# if given, MBIT megabits per second in each direction.
join() {
  if [ -n "$link" ]; then kill "$link"; wait "$link" || true; fi
  for space in $spaces; do
    ip netns del "$space" 2>/dev/null || true
    ip netns add "$space"
  done
  : >"$work/ready"
  # shellcheck disable=SC2086 # two names
  set -- "$1" "${2-}" $spaces
  # shellcheck disable=SC2086 # a number, or nothing
  python3 "$root/bench/delay_link.py" "$1" "$3" 10.77.0.1 "$4" 10.77.0.2 $2 \
    >"$work/ready" &
  link=$!
  until grep -q ready "$work/ready"; do
    kill -0 $link || exit 1
    sleep 0.1
  done
}

compare_delay() {
  echo "images/s of two nodes of one worker (share of the step that waits for the exchange):"
  printf '| mode |'
  for delay in $delays; do printf ' %s ms |' "$delay"; done
  printf '\n| --- |'
  for delay in $delays; do printf ' --- |'; done
  printf '\n'
  for delay in $delays; do
    join "$delay"
    best=0
    for mode in $modes; do
      options_of "$mode"
      # shellcheck disable=SC2086 # options
      run "$mode-$delay" two_nodes -set log.every="$skip" $options
      rate=$(speed "$mode-$delay")
      if [ "$mode" = allreduce ]; then base=$rate; fi
      best=$(echo "$rate $best" | awk '{print ($1 > $2) ? $1 : $2}')
      echo "$rate ($(wait_share "$mode-$delay"))" >"$work/cell-$mode-$delay"
    done
  done
  for mode in $modes; do
    printf '| %s |' "$mode"
    for delay in $delays; do printf ' %s |' "$(cat "$work/cell-$mode-$delay")"; done
    printf '\n'
  done
  ratio=$(divide "$best" "$base")
}

compare_server() {
  echo "| workers | allreduce, images/s | async_ps, images/s | async_ps / allreduce |"
  echo "| --- | --- | --- | --- |"
  for workers in 1 2 3 4; do
    run reduce vitrain -devices cpu:$workers
    options_of async_ps
    # shellcheck disable=SC2086 # options
    run server vitrain -devices cpu:$workers $options
    echo "| $workers | $(speed reduce) | $(speed server) |" \
      "$(divide "$(speed server)" "$(speed reduce)") |"
  done
}

compare_predict() {
  for mode in delayed_allreduce async_ps; do
    options_of "$mode"
    : >"$work/pairs"
    for pair in 1 2 3; do
      order='true false'
      if [ $pair = 2 ]; then order='false true'; fi
      for predict in $order; do
        # shellcheck disable=SC2086 # options
        run "predict-$predict" vitrain -devices cpu:2 $options \
          -set dist.sync.predict=$predict
      done
      echo "$(speed predict-true) $(speed predict-false)" >>"$work/pairs"
    done
    python3 "$root/bench/report.py" pairs "$work/pairs" >"$work/report"
    echo "$mode, images/s:"
    sed 's/^ours  :/with predict:/; s/^theirs:/without:/
      s/^ours \/ theirs:/with \/ without:/; /^ratio/d' "$work/report"
    ratio=${ratio:-$(sed -n 's/^ratio //p' "$work/report")}
  done
}

# compressed WAY: sets $options for a way to send gradients, active from the first steps on.
compressed() {
  options="-set data.batch_size=8 -set model.patch_size=8 -set model.embed_dim=384
    -set model.depth=12 -set model.num_heads=6 -set model.mlp_ratio=4"
  case $1 in
    topk*) options="$options -set dist.compress=topk -set dist.topk.warmup=0st" ;;
    none*) ;;
    *) options="$options -set dist.compress=$1" ;;
  esac
  case $1 in
    *prune) options="$options -set train.prune.amount=0.8 -set train.prune.start=1st
      -set train.prune.end=2st" ;;
  esac
}

compare_compress() {
  ways='none bf16 fp16 powersgd topk none+prune topk+prune'
  for rate in here $rates; do
    if [ "$rate" != here ]; then join 0 "$rate"; fi
    for way in $ways; do
      compressed "$way"
      # shellcheck disable=SC2086 # options
      if [ "$rate" = here ]; then
        run "$way-here" vitrain -devices cpu:2 $options
      else
        run "$way-$rate" two_nodes $options
      fi
      echo "$(speed "$way-$rate") ($(wait_share "$way-$rate"))" >"$work/cell-$way-$rate"
    done
  done
  echo "images/s of two workers (share of the step that waits for the exchange):"
  printf '| compress | bytes that a worker sends in a step | this machine |'
  for rate in $rates; do printf ' %s Mbit/s |' "$rate"; done
  printf '\n| --- | ---: | --- |'
  for rate in $rates; do printf ' --- |'; done
  printf '\n'
  for way in $ways; do
    printf '| %s | %s |' "$way" "$(python3 "$root/bench/report.py" bytes "$work/$way-here")"
    for rate in here $rates; do printf ' %s |' "$(cat "$work/cell-$way-$rate")"; done
    printf '\n'
  done
  ratio=${ratio:-$(divide "$(speed "topk-$rate")" "$(speed "none-$rate")")}
}

"$root/tools/setup.sh" train
modes='allreduce delayed_allreduce local_sgd post_local_sgd hierarchical_sgd
  diloco overlap_average async_ps'
ratio=
case $what in workers | all) compare_workers ;; esac
case $what in server | all) compare_server ;; esac
case $what in predict | all) compare_predict ;; esac
case $what in delay | all) compare_delay ;; esac
case $what in compress | all) compare_compress ;; esac
echo "ratio ${ratio:-1.00}"
