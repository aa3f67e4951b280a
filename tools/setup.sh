#!/bin/sh
# Makes this checkout ready: Debian packages, torch in a per-user cache, build.
# usage: tools/setup.sh [train|tests]       (train: build/release/vitrain only)
#
# The second call only asks ninja whether a source changed. Settings:
#   VITRAIN_TORCH    a site-packages/torch of torch 2.11 to use, no download
#   VITRAIN_PROFILE  cpu or cuda; default: cuda where nvcc or a driver is
#   VITRAIN_JOBS     compilations at once; default: by cores and memory
set -eu

TORCH_VERSION=2.11.0
PACKAGES="g++ cmake ninja-build ccache python3 python3-pip git ca-certificates
  libyaml-cpp-dev libfmt-dev libcli11-dev nlohmann-json3-dev libprotozero-dev
  libjpeg62-turbo-dev libpng-dev libwebp-dev libtiff-dev libavif-dev
  zlib1g-dev libminizip-dev libxxhash-dev libgloo-dev libcurl4-openssl-dev
  libstb-dev libjs-dygraphs fonts-dejavu-core
  libgtest-dev libgmock-dev libbenchmark-dev zstd"

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
build=$root/build/release
log=$root/build/setup.log
started=$(date +%s)

say() {
  printf '[setup %2ds] %s\n' "$(($(date +%s) - started))" "$*" >&2
}

# Ends with a sentence: what is wrong, then (further arguments) what to do.
give_up() {
  say "$1"
  shift
  for line in "$@"; do
    printf '           %s\n' "$line" >&2
  done
  exit 1
}

# The last lines of the log, for whoever has to find out why.
give_up_with_log() {
  printf -- '--- the last lines of %s ---\n' "$log" >&2
  tail -n 25 "$log" >&2 || true
  printf -- '---\n' >&2
  give_up "$@"
}

# --- Debian packages ---------------------------------------------------------

# Prints the packages that are missing, on one line. A tool that is on PATH
# counts as there, wherever it comes from.
missing_packages() {
  for package in $PACKAGES; do
    case $package in
      g++ | cmake | ccache | git | python3 | zstd) tool=$package ;;
      ninja-build) tool=ninja ;;
      python3-pip)
        if python3 -m pip --version >/dev/null 2>&1; then continue; fi
        tool= ;;
      *) tool= ;;
    esac
    if [ -n "$tool" ] && command -v "$tool" >/dev/null 2>&1; then continue; fi
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    if [ "$state" != installed ]; then printf '%s ' "$package"; fi
  done
}

# Runs a command as root: directly, or through sudo (which may ask for the
# password only where there is a terminal).
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

# Debconf must not ask, and another apt may be at work just now.
apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=600 "$@"
}

install_packages() {
  if ! command -v dpkg-query >/dev/null 2>&1; then
    say "this is no Debian system, so packages are not checked; the build needs" \
      "the equivalents of: $(printf '%s' "$PACKAGES" | tr -s ' \n' ' ')"
    return
  fi
  missing=$(missing_packages)
  if [ -z "$missing" ]; then return; fi
  line="apt-get update && apt-get install -y --no-install-recommends ${missing% }"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    give_up "these Debian packages are missing, and installing them needs root." \
      "Run this once as root, then start again:" "  $line"
  fi
  say "installing Debian packages: ${missing% }"
  apt_get update >>"$log" 2>&1 || true
  # shellcheck disable=SC2086 # one word per package
  if ! apt_get install -y --no-install-recommends $missing >>"$log" 2>&1; then
    give_up_with_log "the Debian packages could not be installed (no root, or no network?)." \
      "Run this as root, then start again:" "  $line"
  fi
  say "packages installed"
}

# --- torch -------------------------------------------------------------------

# cuda where there is an NVIDIA driver or nvcc, else cpu.
choose_profile() {
  case ${VITRAIN_PROFILE-} in
    cpu | cuda) echo "$VITRAIN_PROFILE"; return ;;
    '') ;;
    *) give_up "VITRAIN_PROFILE is '$VITRAIN_PROFILE'; it can be cpu or cuda." ;;
  esac
  if [ -e /proc/driver/nvidia/version ] || [ -x /usr/local/cuda/bin/nvcc ] ||
    command -v nvcc >/dev/null 2>&1 || command -v nvidia-smi >/dev/null 2>&1 ||
    { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null || true; } |
      grep -q 'libcuda\.so\.1'; then
    echo cuda
  else
    echo cpu
  fi
}

# Checks the torch folder that the user named and prints its absolute path.
check_given_torch() {
  header=$1/include/torch/headeronly/version.h
  if [ ! -e "$1/lib/libtorch_cpu.so" ] || [ ! -e "$header" ]; then
    give_up "VITRAIN_TORCH is '$1', which is no torch $TORCH_VERSION folder" \
      "(there is no lib/libtorch_cpu.so or include/torch/headeronly/version.h in it)." \
      "Set it to .../site-packages/torch of an installed torch $TORCH_VERSION, or unset it."
  fi
  found=$(sed -n 's/^#define TORCH_VERSION_\(MAJOR\|MINOR\) \([0-9]*\).*/\2/p' "$header" |
    tr '\n' '.')
  if [ "$found" != "${TORCH_VERSION%.*}." ]; then
    give_up "VITRAIN_TORCH is '$1', which is torch ${found%.}; this version needs ${TORCH_VERSION%.*}." \
      "Set it to a torch $TORCH_VERSION, or unset it: set-up then downloads one."
  fi
  (CDPATH='' cd -- "$1" && pwd -P)
}

# Prints the folder for downloads that several checkouts share: the user's
# cache, or the build folder where the home is missing or read-only.
cache_folder() {
  folder=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/vitrain
  if mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ]; then
    echo "$folder"
  else
    mkdir -p "$root/build/cache"
    echo "$root/build/cache"
  fi
}

# Downloads the wheels named in a pins file into a folder, one at a time: what
# is there already with the right hash is kept, so a broken download goes on.
download_wheels() {
  pins=$1
  wheels=$2
  mkdir -p "$wheels"
  grep -v '^#' "$pins" | while read -r requirement hash _ size _; do
    say "  $requirement (${size:-?} MB)"
    printf '%s %s\n' "$requirement" "$hash" >"$wheels/one.txt"
    python3 -m pip download -q --no-deps --require-hashes --no-cache-dir \
      --only-binary=:all: --python-version 3.12 -d "$wheels" \
      -r "$wheels/one.txt" >>"$log" 2>&1 </dev/null || exit 1
  done
}

# Refuses to begin a download that cannot be unpacked afterwards.
check_space() {
  folder=$1
  needed_mb=$2
  free_mb=$(df -Pk "$folder" | awk 'NR == 2 {print int($4 / 1024)}')
  if [ "$free_mb" -lt "$needed_mb" ]; then
    give_up "torch needs $needed_mb MB in $folder; $free_mb MB are free." \
      "Make room, or set XDG_CACHE_HOME to a folder on a larger disk."
  fi
}

# Fills <cache>/torch-<version>-<profile>: into a folder beside it first, then
# renamed, so that what carries the final name is complete.
fetch_torch() {
  pins=$root/tools/torch/$profile.txt
  final=$cache/torch-$TORCH_VERSION-$profile
  if [ "$(uname -sm)" != "Linux x86_64" ]; then
    give_up "the pinned torch wheels are for Linux on x86-64; this is $(uname -sm)." \
      "Install torch $TORCH_VERSION yourself and set VITRAIN_TORCH to its site-packages/torch."
  fi
  pins_hash=$(sha256sum <"$pins" | cut -c1-64)
  exec 8>"$final.lock"
  if ! flock -n 8; then
    say "another set-up is downloading torch; waiting for it"
    flock 8
  fi
  if [ "$(cat "$final/pins" 2>/dev/null)" != "$pins_hash" ]; then
    megabytes=$(sed -n 's/.*# \([0-9]*\) MB$/\1/p' "$pins" | awk '{n += $1} END {print n}')
    case $profile in cpu) unpacked=600 ;; *) unpacked=6000 ;; esac
    mkdir -p "$final.partial"
    check_space "$final.partial" $((megabytes + unpacked))
    say "torch $TORCH_VERSION ($profile): downloading $megabytes MB to $cache"
    if ! download_wheels "$pins" "$final.partial/wheels"; then
      give_up_with_log "torch $TORCH_VERSION could not be downloaded (no network?)." \
        "With a network this command fetches it; then start again, it goes on where it stopped:" \
        "  $root/tools/setup.sh" \
        "Without one: install torch $TORCH_VERSION from elsewhere (python3 -m pip install torch==$TORCH_VERSION)" \
        "and set VITRAIN_TORCH to its site-packages/torch."
    fi
    say "torch $TORCH_VERSION ($profile): unpacking"
    rm -rf "$final.partial/unpacked"
    mkdir -p "$final.partial/unpacked"
    if ! python3 "$root/tools/torch/unpack.py" "$profile" \
      "$final.partial/wheels" "$final.partial/unpacked" >>"$log" 2>&1; then
      give_up_with_log "torch could not be unpacked into $cache (disk full?)."
    fi
    echo "$pins_hash" >"$final.partial/unpacked/pins"
    rm -rf "$final"
    mv "$final.partial/unpacked" "$final"
    rm -rf "$final.partial"
    say "torch $TORCH_VERSION ($profile) is in $final"
  fi
  exec 8>&-
}

# --- build -------------------------------------------------------------------

# ON where CUDA code can be compiled: its folder is part of this version, torch
# is a CUDA build, and the headers came with it or with nvcc.
with_cuda() {
  if [ "$profile" != cuda ] || [ ! -e "$root/lib/cuda/CMakeLists.txt" ]; then
    echo OFF
    return
  fi
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  toolkit=$(dirname -- "$(dirname -- "$(readlink -f -- "$nvcc")")")
  wheels=$torch/../nvidia
  absent=
  if [ ! -e "$torch/lib/libtorch_cuda.so" ]; then absent="libtorch_cuda.so"; fi
  if [ ! -e "$wheels/nccl/include/nccl.h" ]; then absent="$absent nccl.h"; fi
  if [ ! -e "$wheels/cu13/include/crt/host_defines.h" ] &&
    [ ! -e "$toolkit/include/crt/host_defines.h" ]; then
    absent="$absent crt/host_defines.h"
  fi
  if [ -n "$absent" ]; then
    say "building without GPU support: $torch comes without ${absent# }"
    echo OFF
    return
  fi
  echo ON
}

# Everything that decides how the build is configured, as one hash. CMake's own
# files are watched by ninja; the list of folders that have one is not.
configuration_key() {
  {
    echo "$root $profile $torch"
    cat "$root/tools/setup.sh" "$root/CMakePresets.json" "$root/tools/torch/$profile.txt"
    cd "$root" && find app bench lib tests -name CMakeLists.txt | LC_ALL=C sort
  } | sha256sum | cut -c1-64
}

configure() {
  # A checkout that was moved or copied brings a cache that names its old place.
  cached=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
  if [ -n "$cached" ] && [ "$cached" != "$root" ]; then
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  fi
  if ! (cd "$root" && VITRAIN_TORCH=$torch cmake --preset release \
    -DVITRAIN_WITH_CUDA="$(with_cuda)") >>"$log" 2>&1; then
    give_up_with_log "the build could not be configured; the whole log is $log"
  fi
}

# One compilation per core, but no more than memory allows: a file that
# includes torch takes about 1.5 GB.
jobs() {
  cores=$(nproc)
  memory=
  if [ -r /proc/meminfo ]; then
    memory=$(awk '/^MemAvailable:/ {print int($2 / 1500000)}' /proc/meminfo)
  fi
  if [ "${memory:-$cores}" -lt "$cores" ]; then cores=$memory; fi
  if [ "$cores" -lt 1 ]; then cores=1; fi
  echo "${VITRAIN_JOBS:-$cores}"
}

# Copies ninja's output to the log and says now and then how far it is. Says
# nothing when there is nothing to build.
watch_ninja() {
  last=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    case $line in
      \[[0-9]*/[0-9]*\]*)
        now=$(date +%s)
        if [ "$last" = 0 ]; then
          say "building ${1:-everything} (log: $log)"
          last=$now
        elif [ $((now - last)) -ge 15 ]; then
          counts=${line%%]*}
          say "  ${counts#?}"
          last=$now
        fi
        ;;
    esac
  done
  if [ "$last" != 0 ]; then say "build done"; fi
}

run_ninja() {
  if [ "$targets" = vitrain ] &&
    grep -q '^VITRAIN_WITH_CUDA:BOOL=ON' "$build/CMakeCache.txt" 2>/dev/null; then
    targets="vitrain vitrain_cuda"
  fi
  result=$root/build/.ninja-result
  {
    code=0
    # shellcheck disable=SC2086 # none, one or two targets
    NINJA_STATUS='[%f/%t] ' ninja -C "$build" -j "$(jobs)" $targets 2>&1 || code=$?
    echo "$code" >"$result"
  } | watch_ninja "$targets"
  if [ "$(cat "$result")" != 0 ]; then
    give_up_with_log "the build failed; the whole log is $log" \
      "If a header or library is missing: rm -r $build, then start again."
  fi
}

# --- main --------------------------------------------------------------------

case ${1-tests} in
  train) targets=vitrain ;;
  tests) targets= ;;
  *) give_up "usage: tools/setup.sh [train|tests]" ;;
esac
if ! mkdir -p "$build" 2>/dev/null || [ ! -w "$build" ] || [ ! -w "$root/build" ]; then
  give_up "$root/build cannot be written by $(id -un)." \
    "Use a checkout of your own (git clone $root), or run as its owner."
fi
exec 9>"$root/build/.setup.lock"
if ! flock -n 9; then
  say "another set-up of this checkout is running; waiting for it"
  flock 9
fi
: >"$log"

profile=$(choose_profile)
cache=$(cache_folder)
if [ "$cache" = "$root/build/cache" ]; then
  # ccache would look for the same home.
  CCACHE_DIR=${CCACHE_DIR:-$cache/ccache}
  export CCACHE_DIR
fi
if [ -n "${VITRAIN_TORCH-}" ]; then
  torch=$(check_given_torch "$VITRAIN_TORCH")
else
  torch=$cache/torch-$TORCH_VERSION-$profile/torch
fi
key=$(configuration_key)
if [ "$(cat "$build/setup.key" 2>/dev/null)" != "$key" ] ||
  [ ! -e "$build/build.ninja" ] || [ ! -e "$torch/lib/libtorch_cpu.so" ]; then
  install_packages
  if [ -z "${VITRAIN_TORCH-}" ]; then fetch_torch; fi
  configure
  echo "$key" >"$build/setup.key"
fi
run_ninja
