#!/bin/sh
# Set-up and the run scripts, with stand-ins for the tools that reach outside
# (dpkg, apt, sudo, pip, cmake, ninja): what they do in which situation, and
# what they say. usage: setup_test.sh [shell]; needs neither root nor network.
# shellcheck disable=SC2016 # stand-ins expand their variables themselves
set -eu

shell=${1:-sh}
source_dir=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset CCACHE_DIR VITRAIN_TORCH VITRAIN_PROFILE VITRAIN_JOBS XDG_CACHE_HOME CUDA_VISIBLE_DEVICES

fail() {
  printf 'FAILED %s: %s\n' "$name" "$1"
  sed 's/^/    | /' "$work/output"
  failures=$((failures + 1))
}

# A checkout with a blank in its path, an empty home, and stand-ins first on
# PATH. Each stand-in writes its call to $work/calls.
begin() {
  name=$1
  rm -rf "${work:?}/home" "$work/a checkout" "${work:?}/bin" "$work/calls" "$work/output"
  root="$work/a checkout"
  mkdir -p "$work/home" "$work/bin" "$root/configs" "$root/lib" "$root/app" \
    "$root/tests" "$root/bench"
  cp -R "$source_dir/tools" "$source_dir"/run_*.sh "$source_dir/CMakePresets.json" "$root"
  : >"$root/configs/shapes_vit_tiny.yaml"
  : >"$work/output"
  : >"$work/calls"
  real_python=$(command -v python3)
  stand_in dpkg-query 'echo installed'
  stand_in apt-get 'exit 100'
  stand_in sudo 'exit 1'
  stand_in cmake 'mkdir -p build/release && touch build/release/build.ninja
    echo "torch: $VITRAIN_TORCH" >>"$WORK/calls"'
  stand_in ninja 'mkdir -p "$2"
    printf "#!/bin/sh\necho \"vitrain in \$PWD:\"\nfor a in \"\$@\"; do echo \"<\$a>\"; done\n" >"$2/vitrain"
    chmod +x "$2/vitrain"
    echo "ninja: no work to do."'
  # pip: writes the wheel that was asked for, as a zip with a few files of
  # torch's layout. Everything else is the real interpreter.
  stand_in python3 '
    if [ "$1 $2 $3" = "-m pip --version" ]; then exit 0; fi
    if [ "$1 $2" != "-m pip" ]; then exec "'"$real_python"'" "$@"; fi
    if [ -e "$WORK/offline" ]; then echo "no network" >&2; exit 1; fi
    while [ "$1" != -d ]; do shift; done
    name=$(sed "s/==.*//" "$2/one.txt" | tail -n 1)
    exec "'"$real_python"'" - "$2" "$name" <<PY
import sys, zipfile
with zipfile.ZipFile(f"{sys.argv[1]}/{sys.argv[2]}.whl", "w") as z:
    if sys.argv[2] == "torch":
        for f in ("lib/libc10.so", "lib/libtorch_cpu.so", "lib/libtorch_cuda.so",
                  "lib/libtorch_python.so", "include/a.h", "nn.py"):
            z.writestr("torch/" + f, f)
    else:
        z.writestr("nvidia/cu13/lib/libcudart.so.13", "x")
PY'
  rm -f "$work/offline"
}

stand_in() {
  printf '#!/bin/sh\nWORK="%s"\necho "%s $*" >>"$WORK/calls"\n%s\n' \
    "$work" "$1" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# Runs a script of the checkout; leaves its output and exit code. Arguments of
# the form NAME=VALUE before it are its environment.
run() {
  code=0
  env HOME="$work/home" PATH="$work/bin:$PATH" VITRAIN_PROFILE=cpu "$@" \
    >"$work/output" 2>&1 </dev/null || code=$?
}

expect_code() { [ "$code" = "$1" ] || fail "exit code $code, expected $1"; }
expect() { grep -q -- "$1" "$work/output" || fail "does not say: $1"; }
expect_not() { ! grep -q -- "$1" "$work/output" || fail "should not say: $1"; }
expect_calls() {
  count=$(grep -c -- "^$1" "$work/calls" || true)
  [ "$count" = "$2" ] || fail "$1 was called $count times, expected $2"
}
expect_file() { [ -e "$1" ] || fail "missing: $1"; }
expect_no_file() { [ ! -e "$1" ] || fail "should not be there: $1"; }

begin "first call downloads, unpacks and configures; the second does nothing"
run "$shell" "$root/tools/setup.sh" train
expect_code 0
torch=$work/home/.cache/vitrain/torch-2.11.0-cpu
expect_file "$torch/torch/lib/libtorch_cpu.so"
expect_file "$torch/nvidia/cu13/lib/libcudart.so.13"
expect_no_file "$torch/torch/lib/libtorch_cuda.so"
expect_no_file "$torch/torch/lib/libtorch_python.so"
expect_no_file "$torch/torch/nn.py"
expect_no_file "$torch.partial"
expect_calls 'python3 -m pip download' 3
expect_calls "torch: $torch/torch" 1
run "$shell" "$root/tools/setup.sh" train
expect_code 0
expect_calls 'python3 -m pip download' 3
expect_calls cmake 1
expect_calls ninja 2
[ ! -s "$work/output" ] || fail "the second call is not silent"

begin "a new folder with a CMakeLists.txt configures again"
run "$shell" "$root/tools/setup.sh" train
touch "$root/lib/CMakeLists.txt"
run "$shell" "$root/tools/setup.sh" train
expect_calls cmake 2
expect_calls 'python3 -m pip download' 3

begin "changed pins fetch torch again"
run "$shell" "$root/tools/setup.sh" train
echo '# another' >>"$root/tools/torch/cpu.txt"
run "$shell" "$root/tools/setup.sh" train
expect_code 0
expect_calls 'python3 -m pip download' 6

begin "no network: a sentence with the command, nothing half-done, then it goes on"
touch "$work/offline"
run "$shell" "$root/tools/setup.sh" train
expect_code 1
expect 'torch 2.11.0 could not be downloaded (no network?)'
expect 'tools/setup.sh'
expect 'VITRAIN_TORCH'
expect_no_file "$work/home/.cache/vitrain/torch-2.11.0-cpu"
rm "$work/offline"
run "$shell" "$root/tools/setup.sh" train
expect_code 0

begin "two at once: one downloads, the other waits for it"
env HOME="$work/home" PATH="$work/bin:$PATH" VITRAIN_PROFILE=cpu \
  "$shell" "$root/tools/setup.sh" train >/dev/null 2>&1 </dev/null &
run "$shell" "$root/tools/setup.sh" train
expect_code 0
wait $! || fail "the first of the two failed"
expect_calls 'python3 -m pip download' 3
expect_calls cmake 1

begin "without a home everything goes into the build folder"
stand_in ninja 'echo "ccache: $CCACHE_DIR" >>"$WORK/calls"'
run HOME=/proc/home "$shell" "$root/tools/setup.sh" train
expect_code 0
expect_file "$root/build/cache/torch-2.11.0-cpu/torch/lib/libtorch_cpu.so"
expect_calls "ccache: $root/build/cache/ccache" 1

begin "missing packages without root: the line to run"
stand_in dpkg-query 'case $4 in libpng-dev | libfmt-dev) exit 1 ;; *) echo installed ;; esac'
stand_in id 'echo 1000'
run "$shell" "$root/tools/setup.sh" train
expect_code 1
expect 'apt-get install -y --no-install-recommends libfmt-dev libpng-dev$'
expect_calls cmake 0

begin "missing packages as root: installed, the rest goes on"
stand_in dpkg-query 'if [ $4 = libpng-dev ]; then exit 1; fi; echo installed'
stand_in apt-get 'exit 0'
stand_in id 'echo 0'
run "$shell" "$root/tools/setup.sh" train
expect_code 0
expect_calls 'apt-get .*update' 1
expect_calls 'apt-get .*install -y --no-install-recommends libpng-dev$' 1

begin "VITRAIN_TORCH: used as it is, refused when it is not torch 2.11"
mkdir -p "$work/site/torch/lib" "$work/site/torch/include/torch/headeronly"
touch "$work/site/torch/lib/libtorch_cpu.so"
version=$work/site/torch/include/torch/headeronly/version.h
printf '#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 11\n' >"$version"
run VITRAIN_TORCH="$work/site/torch" "$shell" "$root/tools/setup.sh" train
expect_code 0
expect_calls 'python3 -m pip download' 0
expect_calls "torch: $work/site/torch" 1
printf '#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 9\n' >"$version"
run VITRAIN_TORCH="$work/site/torch" "$shell" "$root/tools/setup.sh" train
expect_code 1
expect 'which is torch 2.9; this version needs 2.11'
run VITRAIN_TORCH="$work/nothing" "$shell" "$root/tools/setup.sh" train
expect_code 1
expect 'which is no torch 2.11.0 folder'

begin "an unknown profile and an unknown target are refused"
run VITRAIN_PROFILE=tpu "$shell" "$root/tools/setup.sh" train
expect_code 1
expect "VITRAIN_PROFILE is 'tpu'; it can be cpu or cuda"
run "$shell" "$root/tools/setup.sh" everything
expect_code 1
expect 'usage: tools/setup.sh'

begin "a build that fails shows the end of its log"
stand_in ninja 'echo "[1/2] Building a.o"; echo "a.cpp:1:1: error: no such thing"; exit 1'
run "$shell" "$root/tools/setup.sh" train
expect_code 1
expect 'a.cpp:1:1: error: no such thing'
expect 'the build failed; the whole log is'

begin "the run scripts pass arguments on, from any folder"
stand_in nproc 'echo 2'
mkdir -p "$work/elsewhere"
printf '#!/bin/sh\ncd "%s/elsewhere" && exec "$@"\n' "$work" >"$work/bin/elsewhere"
chmod +x "$work/bin/elsewhere"
run elsewhere "$shell" "$root/run_train_multi.sh" -cfg x.yaml -gpus 0 -set 'a.b=$HOME "c d"'
expect_code 0
expect "vitrain in $work/elsewhere:"
expect '^<a.b=$HOME "c d">$'
expect_not 'cpu:2'
expect_not 'shapes_vit_tiny'
ln -s "$root/run_train_multi.sh" "$work/elsewhere/link.sh"
run elsewhere "$shell" link.sh
expect "^<$root/configs/shapes_vit_tiny.yaml>$"
rm -r "$work/elsewhere"

begin "a run that is resumed by its path brings its recipe"
run "$shell" "$root/run_train_multi.sh" -resume runs/x -set a.b=c
expect_code 0
expect '^<runs/x>$'
expect_not 'shapes_vit_tiny'
for resume in -resume -resume=auto; do
  run "$shell" "$root/run_train_multi.sh" "$resume"
  expect 'shapes_vit_tiny'
done

begin "the choice of devices is vitrain's"
stand_in nproc 'echo 2'
for visible in '' -1 0,1; do
  run CUDA_VISIBLE_DEVICES="$visible" "$shell" "$root/run_train_multi.sh"
  expect_code 0
  expect '^<-cfg>$'
  expect_not '^<-devices'
  expect_not '^<cpu'
done

begin "evaluation without arguments takes the newest run's best checkpoint"
run "$shell" "$root/run_eval_multi.sh"
expect_code 2
expect 'run ./run_train_multi.sh first'
for time in 20260101-000000 20260301-000000 20260201-000000; do
  mkdir -p "$root/runs/shapes_vit_tiny-$time/checkpoints"
  echo step-000000010 >"$root/runs/shapes_vit_tiny-$time/checkpoints/best"
done
run "$shell" "$root/run_eval_multi.sh"
expect_code 0
expect '^<-eval>$'
expect "/runs/shapes_vit_tiny-20260301-000000>$"
run "$shell" "$root/run_eval_multi.sh" -cfg x.yaml -pretrained w.safetensors
expect '^<-eval>$'
expect '^<w.safetensors>$'

if [ "$failures" != 0 ]; then
  echo "$failures failed"
  exit 1
fi
echo "all passed"
