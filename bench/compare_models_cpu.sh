#!/bin/sh
# Compares the train step of whole models with timm's on this machine's CPU: one
# process with all cores, random pixels, AdamW, clipped gradients; timm in eager mode
# (in channels_last if that is faster) and under torch.compile.
#
# usage: bench/compare_models_cpu.sh [MODEL[:PRECISION]...]
#   MODEL      a name that vitrain and timm both know, or small_vit (32 px, batch
#              64); default: the six of docs/performance.md
#   PRECISION  fp32 or bf16; default: both, without bf16 if the processor has
#              no instructions for it
# Prints a table: timm eager and compiled as installed, and the faster of the two
# with the process settings that vitrain uses for itself (MKL's AVX2 and AVX-512 code
# on every processor, pages kept by the allocator). The last column shows how much of
# the ratio is due to these settings. The last line is `ratio R`, the smallest ratio
# ours / theirs with timm as installed.
#
# Settings: PAIRS (3), STEPS (8), SKIP (3: first steps not counted), BATCH (8),
#   TUNED (1; 0 leaves the last column out),
#   VITRAIN_PEER_PYTHON (a Python with the peer's packages; default: they are
#   installed into the user's cache).
set -eu

pairs=${PAIRS:-3}
steps=${STEPS:-8}
skip=${SKIP:-3}
images=${BATCH:-8}
with_tuned=${TUNED:-1}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

. "$root/bench/peer.sh"
. "$root/bench/step_speed.sh"

# Builds a library that makes MKL take any processor for Intel's, as vitrain does.
mkl_library() {
  echo 'int mkl_serv_intel_cpu_true(void) { return 1; }' >"$work/mkl.c"
  cc -shared -fPIC -o "$work/mkl.so" "$work/mkl.c"
}

# with_settings COMMAND...: runs a command with vitrain's process settings.
with_settings() {
  LD_PRELOAD=$work/mkl.so MALLOC_MMAP_MAX_=0 \
    MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=67108864 \
    GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$@"
}

# peer_run WAY SETTINGS STEPS SKIP: prints the images/s of timm; SETTINGS: installed or ours.
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
  report speed "$work/theirs" "$4"
}

# choose_model NAME: sets both sides' names of the model, and the layouts to try with timm.
choose_model() {
  peer_model=$1
  our_model="-set model.name=$1"
  batch=$images
  layouts="eager channels_last"
  case $1 in
    small_vit)
      our_model='-set model.name=vit_tiny_patch16_224 -set model.patch_size=4
        -set model.embed_dim=192 -set model.depth=9 -set model.num_heads=3
        -set model.mlp_ratio=2 -set model.image_size=32
        -set data.train.size=32 -set data.eval.size=32
        -set data.train.classes=10 -set data.eval.classes=10'
      layouts=eager
      batch=64 ;;
    vit_* | deit* | beit* | mixer_* | swin*) layouts=eager ;;
  esac
}

# faster SETTINGS WAY...: prints the fastest WAY of timm with SETTINGS.
faster() {
  settings=$1
  shift
  best=0
  fastest=$1
  if [ $# -gt 1 ]; then
    for way in "$@"; do
      rate=$(peer_run "$way" "$settings" $((skip + 3)) "$skip")
      say "$model $precision, $way, settings $settings: $rate images/s"
      if [ "$(echo "$rate $best" | awk '{print ($1 > $2)}')" = 1 ]; then
        best=$rate
        fastest=$way
      fi
    done
  fi
  echo "$fastest"
}

# compete COLUMN WAY SETTINGS: runs timm and appends a pair to COLUMN; vitrain ran before.
compete() {
  theirs=$(peer_run "$2" "$3" "$steps" "$skip")
  echo "$ours $theirs" >>"$work/$1"
  say "$model $precision, pair $pair: ours $ours, $2 (settings $3) $theirs images/s"
}

median() { sed -n "s/^$2 *: median \([^,]*\),.*/\1/p" "$work/$1.pairs"; }
ratio() { sed -n 's/^ratio //p' "$work/$1.pairs"; }

# Measures a row: vitrain, then timm for each column, `pairs` times.
compare_model() {
  # shellcheck disable=SC2086 # words
  layout=$(faster installed $layouts)
  # shellcheck disable=SC2086
  if [ "$with_tuned" = 1 ]; then tuned=$(faster ours $layout compile); fi
  peer_run compile installed $((skip + 1)) "$skip" >"$work/compiled" # compiles once
  rm -f "$work/layout" "$work/compile" "$work/tuned"
  for pair in $(seq "$pairs"); do
    # shellcheck disable=SC2086 # options
    ours=$(vitrain_run "$root" "$batch" "$precision" $our_model)
    compete layout "$layout" installed
    compete compile compile installed
    if [ "$with_tuned" = 1 ]; then compete tuned "$tuned" ours; fi
  done
  line="$model, batch $batch | $precision"
  for column in layout compile tuned; do
    if [ ! -e "$work/$column" ]; then continue; fi
    report pairs "$work/$column" >"$work/$column.pairs"
    case $column in
      layout)
        line="$line | $(median layout ours) | $(median layout theirs) ($layout)" ;;
      compile) line="$line | $(median compile theirs)" ;;
      tuned) line="$line | $(median tuned theirs) ($tuned)" ;;
    esac
    line="$line | $(ratio $column)"
    if [ $column != tuned ]; then ratio $column >>"$work/ratios"; fi
  done
  echo "| $line |" >>"$work/table"
}

rows=
for asked in "${@:-all}"; do
  case $asked in
    -h | --help) usage ;;
    all) rows="vit_small_patch16_224 swin_tiny_patch4_window7_224 convnext_tiny
      resnet50 efficientnet_b0 mixer_s16_224" ;;
    *) rows="$rows $asked" ;;
  esac
done
# shellcheck disable=SC2086 # words
check_rows $rows

"$root/tools/setup.sh" train
find_peer "$cache"
mkl_library
for row in $rows; do
  model=${row%:*}
  choose_model "$model"
  for precision in $(precisions_of "$row"); do
    compare_model
  done
done
if [ ! -e "$work/ratios" ]; then
  say "nothing to compare"
  exit 2
fi
echo "One process, $(nproc) threads, images/s, $pairs pairs:"
head="| model | precision | ours | timm eager | ratio | timm compiled | ratio |"
rule="| --- | --- | --- | --- | --- | --- | --- |"
if [ "$with_tuned" = 1 ]; then
  head="$head timm with our settings | ratio |"
  rule="$rule --- | --- |"
fi
echo "$head"
echo "$rule"
cat "$work/table"
echo "ratio $(sort -g "$work/ratios" | head -n 1)"
