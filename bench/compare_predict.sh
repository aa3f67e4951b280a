#!/bin/sh
# Measures the images per second of `vitrain predict` on ImageNet files, compared with
# the loop of timm's inference.py with the same weights on the same cores; and the time
# from the start of the program to the prediction of a single file.
#
# usage: bench/compare_predict.sh [TAR]
#   TAR   <part>/<class>/<image>; default:
#         ../shared/data/imagenet-sample.tar next to the repository
#
# vitrain is timed from the start of the program to its end, timm without its start and
# loading. Prints both, how far the predictions agree, and as the last line `ratio R`:
# images/s of ours / theirs.
#
# Settings: MODEL (vit_small_patch16_224), PAIRS (3), PEER_BATCH (256, the default
#   of inference.py), PEER_WORKERS (2, likewise), VITRAIN_PEER_PYTHON (a Python with
#   torch, timm and safetensors; default: installed into the user's cache).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
model=${MODEL:-vit_small_patch16_224}
pairs=${PAIRS:-3}
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

if [ ! -r "$tar" ]; then
  echo "[bench] $tar: there is no such file" >&2
  exit 2
fi
if [ ! -x "$root/build/release/vitrain" ]; then
  "$root/tools/setup.sh" train
fi
find_peer "$cache"
export CUDA_VISIBLE_DEVICES=
mkdir "$work/images"
tar -xf "$tar" -C "$work/images"
images=$(find "$work/images" -type f | wc -l)
peer_script=$root/bench/peers/predict_timm.py
"$peer" "$peer_script" weights "$model" "$work/weights.safetensors"

# seconds COMMAND...: prints the seconds from its start to its end.
seconds() {
  begin=$(date +%s.%N)
  "$@" >"$work/out" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
  echo "$begin $(date +%s.%N)" | awk '{ printf "%.3f\n", $2 - $1 }'
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# Settings of timm's pre-processing for the model.
preprocess=$("$peer" -c "
import sys, timm
from timm.data import resolve_model_data_config
config = resolve_model_data_config(timm.create_model(sys.argv[1]))
for key in ('mean', 'std'):
    print(f'-set data.preprocess.{key}={list(config[key])}'.replace(' [', '['))
for key in ('crop_pct', 'interpolation', 'crop_mode'):
    print(f'-set data.preprocess.{key}={config[key]}')
" "$model" | sed 's/, /,/g')
pillow=$("$peer" -c 'import PIL; print(max(12, int(PIL.__version__.split(".")[0])))')

# ours IMAGES [OPTION...]: predicts the images with vitrain.
ours() {
  # shellcheck disable=SC2086 # one word per setting
  "$root/build/release/vitrain" predict "$@" -pretrained "$work/weights.safetensors" \
    -set model.name="$model" -set model.num_classes=1000 \
    -set data.preprocess.pillow="$pillow" $preprocess
}
theirs() {
  "$peer" "$peer_script" predict "$model" "$work/weights.safetensors" "$work/images" \
    "$work/theirs.csv" --batch "${PEER_BATCH:-256}" --workers "${PEER_WORKERS:-2}" \
    --threads "$(nproc)"
}

for i in $(seq "$pairs"); do
  seconds ours "$work/images" -csv "$work/ours.csv" >>"$work/ours"
  theirs >>"$work/theirs"
  seconds ours "$(find "$work/images" -type f | head -n 1)" >>"$work/first"
done
rate() { echo "$images $1" | awk '{ printf "%.1f", $1 / $2 }'; }
ours=$(rate "$(median <"$work/ours")")
theirs=$(rate "$(median <"$work/theirs")")
"$peer" - "$work/ours.csv" "$work/theirs.csv" "$work/images" <<'END'
import csv, pathlib, sys
def key(name):
    return pathlib.Path(name).name
ours = {key(row["path"]): (int(row["prediction"]), float(row["probability"]))
        for row in csv.DictReader(open(sys.argv[1]))}
theirs = {key(row[0]): (int(row[1]), float(row[6])) for row in csv.reader(open(sys.argv[2]))}
same = sum(ours[name][0] == theirs[name][0] for name in theirs)
far = max(abs(ours[name][1] - theirs[name][1]) for name in theirs)
print(f"{same} of {len(theirs)} images have the same class, probabilities differ by up to {far:.1e}")
END
echo "$model, $images images: ours $ours images/s, theirs $theirs images/s"
echo "first prediction of one file: $(median <"$work/first") s from the start"
echo "$ours $theirs" | awk '{ printf "ratio %.2f\n", $1 / $2 }'
