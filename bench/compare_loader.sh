#!/bin/sh
# Measures the way from JPEG files to uint8 training pixels (decode, random resized
# crop, bicubic, flip; 224 x 224) in images per second of one core's CPU time: vitrain
# compared with Pillow 12.0.0 and torchvision's PIL transforms, which timm's loader
# uses, and with torchvision's decoder and tensor transforms. All use the same crops;
# vitrain's pixels must equal Pillow's byte by byte.
#
# usage: bench/compare_loader.sh
#
# Prints images/s, then `ratio of tensors` (ours / tensor transforms), `ratio of
# packed` (ours from packed files / Pillow), the size of packed files, and as the last
# line `ratio R`: ours / Pillow, both from the original files.
#
# Settings: PAIRS (5), IMAGES_TAR (a plain tar of JPEG files; default
#   ../shared/data/imagenet-sample.tar), VITRAIN_PEER_PYTHON (a Python with torch,
#   torchvision and Pillow 12.0.0; default: installed into the user's cache).
set -eu

pairs=${PAIRS:-5}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
images=${IMAGES_TAR:-$root/../shared/data/imagenet-sample.tar}
if [ $# -ne 0 ] || [ ! -r "$images" ]; then
  sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
  [ -r "$images" ] || echo "$images: not readable; set IMAGES_TAR" >&2
  exit 2
fi
mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$root/bench/peer.sh"

# speed FILE: images/s of one side, from its output `images seconds [bytes]`.
speed() { awk '{ printf "%.2f", $1 / $2 }' "$1"; }

ours() { # KIND [PIXELS]
  "$root/build/release/bench/image_chain" "$1" "$images" "$work/crops" \
    ${2+"$2"} >"$work/$1"
}

theirs() { # KIND [PIXELS]
  OMP_NUM_THREADS=1 "$peer" "$root/bench/peers/image_chain.py" "$1" "$images" \
    "$work/crops" ${2+"$2"} >"$work/$1"
}

# pair OURS THEIRS FILE: appends the images/s of both sides to FILE.
pair() { echo "$(speed "$work/$1") $(speed "$work/$2")" >>"$work/$3"; }

"$root/tools/setup.sh" train
ninja -C "$root/build/release" image_chain >/dev/null
find_peer "$cache" pillow==12.0.0
echo "pixels beside Pillow's:"
ours files "$work/pixels"
theirs pil "$work/pixels"
ours packed "$work/packed_pixels"
cmp "$work/pixels" "$work/packed_pixels"
echo "equal for $(cut -d ' ' -f 1 "$work/files") images, from files and packed"
for i in $(seq "$pairs"); do
  ours files
  theirs pil
  ours packed
  theirs tensor
  pair files pil pil_pairs
  pair files tensor tensor_pairs
  pair packed pil packed_pairs
  echo "pair $i: files $(speed "$work/files"), packed $(speed "$work/packed")," \
    "Pillow $(speed "$work/pil"), tensors $(speed "$work/tensor") images/s"
done
report() { python3 "$root/bench/report.py" pairs "$work/$1"; }
echo "ours beside torchvision's tensor transforms:"
report tensor_pairs | sed 's/^ratio/ratio of tensors/'
echo "packed files beside Pillow's chain:"
report packed_pairs | sed 's/^ratio/ratio of packed/'
echo "size of packed files / JPEG files:" \
  "$(cat "$work/packed" "$work/files" | awk '{ b[NR] = $3 } END { printf "%.3f", b[1] / b[2] }')"
echo "ours beside Pillow's chain:"
report pil_pairs
