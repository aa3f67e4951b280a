#!/bin/sh
# Measures how long training waits for a checkpoint, and compares that with torch.save
# of the same state: ViT-B/16 with AdamW's moments (1 GB), one worker, random images of
# 32 pixels, one checkpoint in 100 steps. Both write to the same folder, in turns;
# vitrain also syncs, reads back and verifies its files.
#
# usage: bench/compare_save.sh [VITRAIN]
#
# Prints the seconds of both (medians; the first checkpoint of a run, for which memory
# is allocated, counts as well), vitrain's share of the time of training, and last
# `ratio R`: torch.save / vitrain.
#
# Settings: ROUNDS (3), SAVES (3: checkpoints of a round before the last),
#   VITRAIN_PEER_PYTHON (a Python with torch and safetensors; default: installed into
#   the user's cache), TMPDIR (where both write).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
vitrain=${1:-$root/build/release/vitrain}
saves=${SAVES:-3}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
mkdir -p "$cache"
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-save.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$root/bench/peer.sh"
find_peer "$cache"

for _ in $(seq "${ROUNDS:-3}"); do
  rm -rf "$work/runs"
  "$vitrain" -cfg "$root/tests/e2e/files/noise.yaml" -output "$work/runs" -devices cpu:1 \
    -set model.name=vit_base_patch16_224 -set model.image_size=32 \
    -set data.train.size=32 -set data.eval.size=32 -set data.batch_size=4 \
    -set "run.max_steps=$((100 * saves + 10))" -set log.every=10 \
    -set checkpoint.every=100st -set checkpoint.keep_last=1 \
    -set eval.every=1000000st >"$work/log" || { cat "$work/log" >&2; exit 1; }
  "$peer" "$root/bench/peers/save_state.py" "$work/runs" "$saves"
done | tee "$work/rounds" >&2
awk '
  $1 == "vitrain" { ours[++n] = $2; whole += $3 }
  $1 == "torch.save" { theirs[++m] = $2 }
  function median(v, k,   i, j, t) {
    for (i = 1; i <= k; i++)
      for (j = i + 1; j <= k; j++)
        if (v[j] < v[i]) { t = v[i]; v[i] = v[j]; v[j] = t }
    return v[int((k + 1) / 2)]
  }
  END {
    a = median(ours, n)
    b = median(theirs, m)
    printf "vitrain waits %.3f s (%.2f %% of 100 steps), torch.save %.3f s\n", a,
      100 * a * n / whole, b
    printf "ratio %.1f\n", b / a
  }' "$work/rounds"
