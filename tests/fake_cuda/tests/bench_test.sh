#!/bin/sh
# bench/gpu_pack.sh and bench/gpu.sh: what is packed is enough, and every part runs
# through over the fake runtime. usage: bench_test.sh SOURCE BUILD
# VITRAIN_PEER_PYTHON: a Python with torch 2.11 for CUDA and timm (python3).
set -eu

source=$1
build=$2
python=${VITRAIN_PEER_PYTHON:-python3}
skip() { echo "skipped: $1"; exit 77; }
"$python" -c 'import importlib.util as u; assert u.find_spec("torch") and u.find_spec("timm")' 2>/dev/null ||
  skip "$python (VITRAIN_PEER_PYTHON) has no torch or no timm"
"$python" -c 'import torch; assert torch.version.cuda and torch.__version__.startswith("2.11.")' ||
  skip "$python has no torch 2.11 for CUDA"
[ "$build" = "$source/build/release" ] || skip "bench/gpu_pack.sh packs build/release, this is $build"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VITRAIN_PEER_PYTHON="$python" OMP_NUM_THREADS=1
unset CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH OUT

fail() {
  echo "FAILED: $1"
  cat "$work/log"
  exit 1
}
# expect CODE WORD...: gpu.sh of the pack ends with that code.
expect() {
  wanted=$1
  shift
  code=0
  "$work/vitrain-gpu/bench/gpu.sh" "$@" >"$work/log" 2>&1 || code=$?
  [ "$code" = "$wanted" ] || fail "gpu.sh $*: exit code $code, expected $wanted"
}
says() { grep -q -e "$1" "$work/log" || fail "does not say: $1"; }

"$source/bench/gpu_pack.sh" "$work/pack.tar.gz" >"$work/log" 2>&1 || fail "gpu_pack.sh"
tar -C "$work" -xzf "$work/pack.tar.gz"
# Nothing but torch, glibc's and GCC's libraries comes from elsewhere.
torch=$("$python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])')
folders=$torch/lib:$(echo "$torch"/../nvidia/*/lib | tr ' ' :):$work/vitrain-gpu/packed/lib
LD_LIBRARY_PATH=$folders ldd "$work/vitrain-gpu/build/release/vitrain_torch" >"$work/log"
! grep -v -e "$torch" -e "$work" "$work/log" |
  grep -v -E 'linux-vdso|ld-linux|lib(c|m|dl|rt|util|pthread|gcc_s|stdc\+\+)\.so' ||
  fail "libraries that are not packed"

expect 2
expect 2 -fake Z
expect 2 A
says 'no GPU can be used here; -fake'
expect 0 -fake -quick -o "$work/out" all
says 'no judged row fails'
"$python" - "$work/out" >"$work/log" 2>&1 <<'PY' || fail "results"
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
for letter in "ABCDEFGH":
    result = json.loads((folder / f"{letter}.json").read_text())
    assert result["part"] == letter and result["fake"] and result["device"], result
    states = {row["state"] for row in result["rows"]}
    # H needs images that are not packed here.
    expected = {"A": {"holds", "not judged", "measured"}, "C": {"holds"}, "G": {"not judged"},
                "H": set()}
    assert states == expected.get(letter, {"measured"}), (letter, states)
PY
# A row that fails, and a deadline that leaves out what there is no time for.
FAKE_CUDA_FAULT=sticky:0:20 expect 1 -fake -quick -o "$work/out" D
says 'FAILS'
expect 0 -fake -quick -seconds 0.01 -o "$work/out" D
says 'left out: update of 25.6 million parameters: the deadline came'
echo passed
