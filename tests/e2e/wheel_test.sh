#!/bin/sh
# The wheel: built, looked into, installed without a compiler, used.
# usage: wheel_test.sh BUILD [anew]
# The objects are those of BUILD, which takes half a minute in all; `anew` compiles them,
# minutes where ccache does not know the files: that one has the label slow.
set -eu
build=$(readlink -f "$1")
anew=${2-}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
VITRAIN_TORCH=$(readlink -f "$build/torch")
export VITRAIN_TORCH

fail() {
  echo "FAILED: $*"
  tail -n 40 "$work/log" 2>/dev/null
  exit 1
}
if ! python3 -m pip download -q --no-deps -d "$work/there" 'scikit-build-core<0.12' >"$work/log" 2>&1; then
  echo "skipped: scikit-build-core cannot be fetched (no PyPI)"
  exit 77
fi
option() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
if [ -z "$anew" ]; then
  if [ "$(option CMAKE_BUILD_TYPE)" != Release ]; then
    echo "skipped: wheels are compiled as Release, and $build is not"
    exit 77
  fi
  python3 "$root/tests/e2e/compiled_already.py" depends "$build" "$work/depends"
  set -- "--config-settings=build-dir=$work/build" \
    "--config-settings=cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=$root/tests/e2e/compiled_already.sh;$build;$work/depends"
else
  set --
fi
# The same compiler under the same name, as ccache knows it.
CXX=$(option CMAKE_CXX_COMPILER) python3 -m pip wheel --no-deps -w "$work" "$root" "$@" \
  --config-settings=cmake.define.VITRAIN_UNITY="$(option VITRAIN_UNITY)" \
  --config-settings=cmake.define.VITRAIN_PCH="$(option VITRAIN_PCH)" >"$work/log" 2>&1 || fail "pip wheel"
if [ -z "$anew" ]; then
  python3 "$root/tests/e2e/compiled_already.py" compare "$build" "$work/build" || fail "another way to compile"
fi
wheel=$(echo "$work"/vitrain-*.whl)
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes"
case $(basename "$wheel") in
  "vitrain-$(cat "$root/VERSION")-py3-none-manylinux_2_"*_x86_64.whl) ;;
  *) fail "its name: $wheel" ;;
esac
[ "$(stat -c %s "$wheel")" -lt 15000000 ] || fail "it has more than 15 MB"

# Without ensurepip, which Debian has in a package of its own: the pip from outside.
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install -q --no-deps "$wheel" >"$work/log" 2>&1 || fail "pip install"
site=$(echo "$work"/venv/lib/python3*/site-packages)
grep -q '^Requires-Dist: torch==2.11.0$' "$site"/vitrain-*.dist-info/METADATA || fail "it does not depend on torch"

# No library may ask for more than the name of the wheel promises, or for one that is not
# in it, nor torch's, nor on every system that runs torch.
python3 - "$site/vitrain" "$wheel" <<'END' || fail "libraries"
import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
promised = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_", sys.argv[2]).groups()))
system = re.compile(r"(ld-linux-x86-64|lib(c|m|dl|rt|util|pthread|gcc_s|stdc\+\+))\.so\.\d+$")
torch = re.compile(r"lib(torch|c10|gomp|nccl|cudart)")
files = [path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
present = {path.name for path in files}
assert {"vitrain", "vitrain_torch", "libtiff.so.6"} <= present, present
for path in files:
    shown = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"NEEDED +(\S+)", shown):
        assert name in present or system.match(name) or torch.match(name), (path, name)
    for version in re.findall(r"GLIBC_([\d.]+)", shown):
        assert tuple(map(int, version.split("."))) <= promised, (path, version)
END

# torch as pip would put it beside. All that the dynamic linker looks for is there.
ln -s "$VITRAIN_TORCH" "$site/torch"
ln -s "$VITRAIN_TORCH/../nvidia" "$site/nvidia"
for file in "$site"/vitrain/vitrain* "$site"/vitrain/lib/*; do
  env -i ldd "$file" >"$work/log" 2>&1 || fail "ldd $file"
  if grep 'not found' "$work/log"; then fail "$file"; fi
done
mkdir "$work/empty"
vitrain() { (cd "$work" && env -i HOME="$work" PATH="$work/empty" OMP_NUM_THREADS=1 "$work/venv/bin/vitrain" "$@"); }
vitrain --help >"$work/help"
"$build/vitrain" --help | cmp - "$work/help" || fail "help is another"
best=$(for _ in 1 2 3 4 5; do
  begin=$(date +%s%N)
  vitrain --help >/dev/null
  echo $((($(date +%s%N) - begin) / 1000000))
done | sort -n | head -n 1)
echo "vitrain --help: $best ms"
[ "$best" -lt 200 ] || fail "vitrain --help takes $best ms"
vitrain --version | grep -q "^torch 2.11" || fail "version"
vitrain -cfg "$work/venv/share/vitrain/configs/shapes_vit_tiny.yaml" -devices cpu:2 -output runs \
  -set run.max_steps=1 -set schedule.warmup=0st -set data.train.count=64 -set data.eval.count=16 -batch_size 8 >"$work/log" 2>&1 ||
  fail "training"
grep -q '^done' "$work/log" || fail "training did not say that it is done"
# Its own libraries read what the system's read.
images=$root/tests/golden/image/formats
set -- "$images/depth_12_420.avif" "$images/lzw_predictor_1.tif" "$images/lossy_100.webp" -resize 32 -crop 32
vitrain data dump "$@" -out "$work/wheel.npy" >"$work/log" 2>&1 || fail "reading images"
"$build/vitrain" data dump "$@" -out "$work/build.npy" >/dev/null
cmp "$work/wheel.npy" "$work/build.npy" || fail "pixels"
[ -s "$work/venv/share/man/man1/vitrain.1" ] || fail "no manual page"
# Without torch: a sentence.
rm "$site/torch"
if vitrain -cfg x >"$work/log" 2>&1; then fail "it runs without torch"; fi
grep -q 'pip install torch==2.11.0' "$work/log" || fail "that torch is missing is not said"
echo "all passed"
