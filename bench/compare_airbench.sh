#!/bin/sh
# Compares configs/cifar10_airbench94.yaml with the package airbench, the code of
# the recipe's author (Jordan, arXiv:2404.00498), on the same images and cores:
# top-1 in percent with the recipe's test-time augmentation, and seconds of the
# whole training. The published 94 % were reached on CIFAR-10's lossless files.
#
# usage: bench/compare_airbench.sh [TAR]
#   TAR   train/CLASS/* and test/CLASS/* as .tar.zst;
#         default: ../shared/data/cifar10-jpg.tar.zst next to the repository
#
# Settings: SEEDS ("1 2 3"), VITRAIN_PEER_PYTHON (a Python with torch,
#   torchvision and Pillow; default: installed into the user's cache). Takes
#   about an hour a seed on two cores.
#
# Prints a line for each seed, the means, and as the last line `ratio R`: mean
# top-1 of ours / theirs.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
case ${1-} in
  -*)
    sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2 ;;
esac
tar=$(readlink -f -- "${1:-$root/../shared/data/cifar10-jpg.tar.zst}")
if [ ! -r "$tar" ]; then
  echo "[bench] $tar: there is no such file" >&2
  exit 2
fi
mkdir -p "$cache"
. "$root/bench/peer.sh"
"$root/tools/setup.sh" train >&2
find_peer "$cache"
install_packages "$cache/airbench" "--no-deps airbench==0.1.8"
PYTHONPATH=$cache/airbench${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/images"
zstd -dc "$tar" | tar -xf - -C "$work/images"
images=$(dirname "$(find "$work/images" -type d -name train)")
export CUDA_VISIBLE_DEVICES=

for seed in ${SEEDS:-1 2 3}; do
  begin=$(date +%s)
  "$root/build/release/vitrain" -cfg "$root/configs/cifar10_airbench94.yaml" \
    -data_path "$images" -output "$work/runs" -set "run.seed=$seed" \
    -set eval.every=1dur >"$work/ours"
  middle=$(date +%s)
  "$peer" "$root/bench/peers/airbench_jpeg.py" "$images" "$seed" >"$work/theirs"
  end=$(date +%s)
  ours=$(sed -n 's/^done: top1 \([0-9.]*\) %.*/\1/p' "$work/ours")
  theirs=$(tail -n 1 "$work/theirs")
  echo "seed $seed: ours $ours % in $((middle - begin)) s," \
    "theirs $theirs % in $((end - middle)) s"
  echo "$ours $theirs" >>"$work/accuracies"
done
awk '{ ours += $1; theirs += $2 }
  END { printf "means: ours %.2f %%, theirs %.2f %%\nratio %.4f\n",
        ours / NR, theirs / NR, ours / theirs }' "$work/accuracies"
