#!/bin/sh
# Reads every YAML file of a PaddleViT checkout and compares the models'
# parameter counts with those of PaddleViT's own code.
#
# usage: bench/paddlevit_files.sh PaddleViT/image_classification [VITRAIN]
#
# Runs `config check`, and `-dry_run` with generated images, for each file of
# tests/golden/config/paddlevit_files.csv (written by paddlevit_counts.py in the same
# folder). Prints a table: per family how many files are accepted (with PaddleViT's
# parameter count, or with the difference that paddlevit_differences.csv explains),
# refused with a one-line message, or wrong; then the wrong files, and the totals.
# Exits with 1 if a file is wrong.
#
# Settings: FILES (a pattern of grep -E for the names of the files; default: all).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
  sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
  exit 2
fi
folder=$1
program=${2:-$root/build/release/vitrain}
golden=$root/tests/golden/config
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-paddlevit.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1

# judge FILE FAMILY PARAMETERS: prints a line: family, verdict (same, explained, refused or
# wrong), file, text.
judge() {
  file=$1 family=$2 expected=$3
  out=$work/out
  if ! "$program" config check -cfg "$folder/$file" >"$out" 2>&1; then
    problems=$(sed -n 's/^\([0-9]*\) problems\{0,1\} found.*/\1/p' "$out")
    first=$(sed -n "s|^$folder/$file:||p" "$out" | head -n 1)
    lines=$(sed '/problems\{0,1\} found/,$d' "$out" | wc -l)
    if [ "$problems" = 1 ] && [ "$lines" -eq 1 ] && [ -n "$first" ]; then
      echo "$family,refused,$file,$first"
    else
      echo "$family,wrong,$file,refused with $lines lines: $first"
    fi
    return
  fi
  if ! "$program" -cfg "$folder/$file" -dataset random -dry_run \
    -devices cpu:1 >"$out" 2>&1; then
    echo "$family,wrong,$file,dry run: $(tail -n 1 "$out")"
    return
  fi
  counted=$(sed -n 's/.* \([0-9,]*\) parameters.*/\1/p' "$out" | head -n 1 |
    tr -d ,)
  difference=$(awk -F, -v file="$file" '$1 == file { print $2 }' \
    "$golden/paddlevit_differences.csv")
  if [ -n "$expected" ] && [ "$counted" = "$expected" ]; then
    echo "$family,same,$file,$counted"
  elif [ -n "$difference" ] &&
    [ "$counted" = $((${expected:-0} + difference)) ]; then
    echo "$family,explained,$file,$counted"
  else
    echo "$family,wrong,$file,$counted parameters instead of $expected"
  fi
}

tail -n +2 "$golden/paddlevit_files.csv" |
  grep -E "^[^,]*(${FILES:-.})[^,]*," >"$work/files"
while IFS=, read -r file family _ parameters _; do
  judge "$file" "$family" "$parameters"
done <"$work/files" >"$work/verdicts"

awk -F, '
  { count[$1, $2]++; total[$2]++; if (!($1 in seen)) { seen[$1]; name[++n] = $1 } }
  $2 == "wrong" { wrong = wrong $3 ": " substr($0, index($0, $4)) "\n" }
  function row(family, same, explained, refused, bad) {
    printf "%-20s %9s %9s %8s %6s\n", family, same, explained, refused, bad
  }
  END {
    row("family", "accepted", "explained", "refused", "wrong")
    for (i = 1; i <= n; ++i) {
      f = name[i]
      row(f, count[f, "same"] + 0, count[f, "explained"] + 0,
          count[f, "refused"] + 0, count[f, "wrong"] + 0)
    }
    row("total", total["same"] + 0, total["explained"] + 0,
        total["refused"] + 0, total["wrong"] + 0)
    printf "%s%d of %d files accepted\n", wrong,
        total["same"] + total["explained"], NR
    exit total["wrong"] > 0
  }' "$work/verdicts"
