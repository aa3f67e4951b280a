#!/bin/sh
# The train step of whole models beside vitrain's own at another commit, on this
# machine's CPU: one process with all cores, random pixels, AdamW, clipped.
#
# usage: bench/compare_commit.sh COMMIT [MODEL[:PRECISION]...]
#   COMMIT     what `git rev-parse` takes; it is built in the user's cache
#   MODEL      a name that both have; default: vit_small_patch16_224 and resnet50
#   PRECISION  fp32 or bf16; default: both, without bf16 where the processor has
#              no instructions for it
# A table, images/s and the ratio's median, smallest and largest. The last line is
# `ratio R`, now / then: the smallest of the models.
#
# Settings: PAIRS (5), STEPS (8), SKIP (3: first steps not counted), BATCH (8).
set -eu

pairs=${PAIRS:-5}
steps=${STEPS:-8}
skip=${SKIP:-3}
images=${BATCH:-8}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench

. "$root/bench/step_speed.sh"

case ${1-} in
  '' | -*) usage ;;
esac
if ! commit=$(git -C "$root" rev-parse -q --verify "$1^{commit}"); then
  say "no such commit here: $1"
  exit 2
fi
shift
if [ $# = 0 ]; then set -- vit_small_patch16_224 resnet50; fi
check_rows "$@"

mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# A clone, not a worktree: nothing is left in this repository when it is deleted.
then=$cache/commits/$commit
if [ ! -d "$then" ]; then
  rm -rf "$then.new"
  git clone -q --shared --no-checkout "$root" "$then.new"
  git -C "$then.new" checkout -q --detach "$commit"
  mv "$then.new" "$then"
fi
say "building $then"
"$root/tools/setup.sh" train
"$then/tools/setup.sh" train

# A row: both, one after the other, `pairs` times, in changing order.
compare() {
  rm -f "$work/speeds"
  for pair in $(seq "$pairs"); do
    if [ $((pair % 2)) = 1 ]; then
      now=$(vitrain_run "$root" "$images" "$precision" -set model.name="$model")
      before=$(vitrain_run "$then" "$images" "$precision" -set model.name="$model")
    else
      before=$(vitrain_run "$then" "$images" "$precision" -set model.name="$model")
      now=$(vitrain_run "$root" "$images" "$precision" -set model.name="$model")
    fi
    echo "$now $before" >>"$work/speeds"
    say "$model $precision, pair $pair: now $now, then $before images/s"
  done
  report pairs "$work/speeds" >"$work/pairs"
  median() { sed -n "s/^$1 *: median \([^,]*\),.*/\1/p" "$work/pairs"; }
  ratio=$(sed -n 's/^ratio //p' "$work/pairs")
  spread=$(awk '{print $1 / $2}' "$work/speeds" | sort -g | sed -n '1p;$p' | xargs printf '%.2f to %.2f')
  echo "| $model, batch $images | $precision | $(median ours) | $(median theirs) | $ratio ($spread) |" \
    >>"$work/table"
  echo "$ratio" >>"$work/ratios"
}

for row in "$@"; do
  model=${row%:*}
  for precision in $(precisions_of "$row"); do
    compare
  done
done
if [ ! -e "$work/ratios" ]; then
  say "nothing to compare"
  exit 2
fi
echo "One process, $(nproc) threads, images/s, $pairs pairs, now and at $commit:"
echo "| model | precision | now | then | ratio |"
echo "| --- | --- | --- | --- | --- |"
cat "$work/table"
echo "ratio $(sort -g "$work/ratios" | head -n 1)"
