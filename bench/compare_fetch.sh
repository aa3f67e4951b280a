#!/bin/sh
# Compares `vitrain weights fetch` with curl: a file of 350 MB from a server on
# loopback (tests/e2e/hub_server.py).
#
# usage: bench/compare_fetch.sh [VITRAIN]
#
# Prints the seconds of each, the shortest of TRIES (default: 5), and last
# `ratio R`, curl's seconds over vitrain's. vitrain also hashes the file.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
vitrain=${1:-$root/build/release/vitrain}
folder=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$folder"' EXIT
mkdir -p "$folder/hub/timm/resnet50.a1_in1k"
file=$folder/hub/timm/resnet50.a1_in1k/model.safetensors
head -c 350000000 /dev/urandom >"$file"
python3 "$root/tests/e2e/hub_server.py" "$folder/hub" >"$folder/address" &
server=$!
while [ ! -s "$folder/address" ]; do sleep 0.1; done
address=$(cat "$folder/address")
export HF_ENDPOINT="$address" HF_HUB_CACHE="$folder/cache"
unset HF_HUB_OFFLINE TRANSFORMERS_OFFLINE

now() { date +%s.%N; }
fastest() { # COMMAND...: the shortest of several times in seconds
  for _ in $(seq "${TRIES:-5}"); do
    rm -rf "$folder/cache" "$folder/copy"
    start=$(now)
    "$@" >/dev/null
    echo "$(now) $start" | awk '{ print $1 - $2 }'
  done | sort -g | head -n 1
}
url=$address/timm/resnet50.a1_in1k/resolve/main/model.safetensors
curl -sIL -o "$folder/head" "$url" # the server hashes the file once
other=$(fastest curl -sSL --noproxy '*' -o "$folder/copy" "$url")
own=$(fastest "$vitrain" weights fetch timm/resnet50.a1_in1k)
echo "curl $other s, vitrain $own s"
echo "$other $own" | awk '{ printf "ratio %.2f\n", $1 / $2 }'
