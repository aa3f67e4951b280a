#!/bin/sh
# examples/own_family, built against an installation and trained.
# usage: library_test.sh BUILD
# The folders stay the same from run to run, so that ccache knows the file.
set -eu
build=$1
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
work=$build/tests/own_family
rm -rf "$work"
mkdir -p "$work"
export OMP_NUM_THREADS=1

fail() {
  echo "FAILED: $*"
  tail -n 40 "$work/log"
  exit 1
}
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || fail "cmake --install"
launcher=
if command -v ccache >/dev/null; then launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
# -O1: what is tested is that it builds and trains, not its speed.
cmake -G Ninja -S "$root/examples/own_family" -B "$work/build" $launcher -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_FLAGS="-O1 -Wall -Werror" >"$work/log" 2>&1 || fail "configuring"
ninja -C "$work/build" >"$work/log" 2>&1 || fail "compiling"

cd "$work"
cat >recipe.yaml <<END
base: [$root/examples/own_family/recipe.yaml]
run: {output: $work/runs}
END
build/own_family -cfg recipe.yaml -devices cpu:2 >log 2>&1 || fail "training"
grep -q 'patch_mean_8' log || fail "its model is not named"
grep -q '^done' log || fail "training did not say that it is done"
loss() { sed -n "s/.*\"kind\":\"train\".*\"loss\":\([0-9.]*\).*/\1/p" runs/*/metrics.jsonl | "$1" -n 1; }
[ "$(loss head)" != "$(loss tail)" ] || fail "nothing was learned"
# The whole command line knows the family.
mv log first && mv runs trained
build/own_family models 'patch_*' >log 2>&1 && grep -q patch_mean_4 log || fail "models"
build/own_family -eval -cfg recipe.yaml -devices cpu:1 -pretrained trained/* >log 2>&1 || fail "evaluation"
top1() { sed -n 's/^\(done\|evaluated\): \(top1 [0-9.]* %\).*/\2/p' "$1"; }
[ -n "$(top1 first)" ] && [ "$(top1 first)" = "$(top1 log)" ] || fail "evaluation differs from training's"
# vitrain itself does not know it: the family is that program's.
code=0
prefix/bin/vitrain config check -cfg recipe.yaml >refusal 2>&1 || code=$?
[ $code = 2 ] && grep -q "unknown model 'patch_mean_8'" refusal || fail "vitrain knows patch_mean_8"
cd /
rm -rf "$work"
echo "all passed"
