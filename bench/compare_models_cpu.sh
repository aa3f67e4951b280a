#!/bin/sh
# The train step of whole models beside timm's on this machine's CPU: one process
# with all cores, random pixels, AdamW, clipped; the peer eager, in channels_last
# and under torch.compile, the fastest of which is compared.
#
# usage: bench/compare_models_cpu.sh [MODEL[:PRECISION]...]
#   MODEL      vit_small, small_vit (32 px), resnet18, resnet50; default: all
#   PRECISION  fp32 or bf16; default: both, without bf16 where the processor has
#              no instructions for it
# A table: the peer as it is installed, and the peer with the settings that vitrain
# makes for itself (MKL's AVX2 and AVX-512 code on every processor, pages kept by
# the allocator), so that what is ours and what is a setting can be told apart. The
# last line is `ratio R`, ours / theirs: the smallest of the peers as installed.
#
# Settings: PAIRS (3), STEPS (8), SKIP (3: first steps not counted),
#   VITRAIN_PEER_PYTHON (a Python with the peer's packages; default: they are
#   installed into the user's cache).
set -eu

pairs=${PAIRS:-3}
steps=${STEPS:-8}
skip=${SKIP:-3}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

. "$root/bench/peer.sh"

say() { echo "[bench] $*" >&2; }

usage() {
  sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
  exit 2
}

speed() { python3 "$root/bench/report.py" speed "$1" "$2"; }

has_bf16() { grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo; }

# A library that answers MKL's question for an Intel processor, as vitrain does.
mkl_library() {
  echo 'int mkl_serv_intel_cpu_true(void) { return 1; }' >"$work/mkl.c"
  cc -shared -fPIC -o "$work/mkl.so" "$work/mkl.c"
}

# What vitrain does for itself, for the peer: with_settings COMMAND...
with_settings() {
  LD_PRELOAD=$work/mkl.so MALLOC_MMAP_MAX_=0 \
    MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=67108864 \
    GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$@"
}

# peer_run WAY SETTINGS STEPS SKIP: images/s; SETTINGS is installed or ours.
peer_run() {
  as=
  if [ "$2" = ours ]; then as=with_settings; fi
  if ! CUDA_VISIBLE_DEVICES='' $as "$peer" "$root/bench/peers/train_models.py" \
    --model "$peer_model" --batch "$batch" --precision "$precision" --way "$1" \
    --threads "$(nproc)" --steps "$3" --metrics "$work/theirs" \
    >"$work/peer.log" 2>&1; then
    cat "$work/peer.log" >&2
    say "the peer failed"
    exit 1
  fi
  speed "$work/theirs" "$4"
}

our_run() {
  rm -rf "$work/runs"
  # shellcheck disable=SC2086 # options
  if ! "$root/build/release/vitrain" -cfg "$root/configs/bench_models.yaml" \
    -devices cpu:1 -output "$work/runs" -set run.max_steps="$steps" \
    -set train.precision="$precision" -set data.batch_size="$batch" \
    $our_model >"$work/ours.log" 2>&1; then
    cat "$work/ours.log" >&2
    say "vitrain failed"
    exit 1
  fi
  speed "$work"/runs/*/metrics.jsonl "$skip"
}

# Sets what the two sides call a model.
choose_model() {
  ways="eager compile"
  batch=16
  case $1 in
    vit_small)
      peer_model=vit_small_patch16_224
      our_model="-set model.name=$peer_model"
      batch=8 ;;
    small_vit)
      peer_model=small_vit
      our_model='-set model.name=vit_tiny_patch16_224 -set model.patch_size=4
        -set model.embed_dim=192 -set model.depth=9 -set model.num_heads=3
        -set model.mlp_ratio=2 -set model.image_size=32
        -set data.train.size=32 -set data.eval.size=32
        -set data.train.classes=10 -set data.eval.classes=10'
      batch=64 ;;
    resnet18 | resnet50)
      peer_model=$1
      our_model="-set model.name=$1"
      ways="eager channels_last compile" ;;
    *) usage ;;
  esac
}

# The fastest way of the peer with SETTINGS; a compiled step takes its time once.
fastest_way() {
  best=0
  for way in $ways; do
    rate=$(peer_run "$way" "$1" $((skip + 4)) "$skip")
    say "$model $precision, $way, settings $1: $rate images/s"
    if [ "$(echo "$rate $best" | awk '{print ($1 > $2)}')" = 1 ]; then
      best=$rate
      fastest=$way
    fi
  done
  echo "$fastest"
}

# Both columns of a row: ours, the peer as installed, the peer with our settings,
# one after the other.
compare_model() {
  installed=$(fastest_way installed)
  tuned=$(fastest_way ours)
  rm -f "$work/installed" "$work/tuned"
  for pair in $(seq "$pairs"); do
    ours=$(our_run)
    plain=$(peer_run "$installed" installed "$steps" "$skip")
    same=$(peer_run "$tuned" ours "$steps" "$skip")
    echo "$ours $plain" >>"$work/installed"
    echo "$ours $same" >>"$work/tuned"
    say "$model $precision, pair $pair: ours $ours, as installed $plain," \
      "with our settings $same images/s"
  done
  for column in installed tuned; do
    python3 "$root/bench/report.py" pairs "$work/$column" >"$work/$column.pairs"
  done
  median() { sed -n "s/^$2 *: median \([^,]*\),.*/\1/p" "$work/$1.pairs"; }
  ratio() { sed -n 's/^ratio //p' "$work/$1.pairs"; }
  printf '| %s | %s | %s | %s (%s) | %s | %s (%s) | %s |\n' \
    "$model, batch $batch" "$precision" "$(median installed ours)" \
    "$(median installed theirs)" "$installed" "$(ratio installed)" \
    "$(median tuned theirs)" "$tuned" "$(ratio tuned)" >>"$work/table"
  ratio installed >>"$work/ratios"
}

rows=
for asked in "${@:-all}"; do
  case $asked in
    -h | --help) usage ;;
    all) rows="$rows vit_small small_vit resnet18 resnet50" ;;
    *) rows="$rows $asked" ;;
  esac
done
for row in $rows; do # before anything is installed
  choose_model "${row%:*}"
  case $row in
    *:fp32 | *:bf16) ;;
    *:*) usage ;;
  esac
done

"$root/tools/setup.sh" train
find_peer "$cache"
mkl_library
for row in $rows; do
  model=${row%:*}
  choose_model "$model"
  case $row in
    *:*) precisions=${row#*:} ;;
    *) precisions="fp32 bf16" ;;
  esac
  for precision in $precisions; do
    if [ "$precision" = bf16 ] && ! has_bf16; then
      say "$model bf16: left out, this processor has no bf16 instructions"
      continue
    fi
    compare_model
  done
done
if [ ! -e "$work/ratios" ]; then
  say "nothing to compare"
  exit 2
fi
echo "One process, $(nproc) threads, images/s, $pairs pairs:"
echo "| model | precision | ours | timm as installed | ratio | timm with our settings | ratio |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
cat "$work/table"
echo "ratio $(sort -g "$work/ratios" | head -n 1)"
