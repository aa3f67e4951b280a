#!/usr/bin/env bash
# Fuzzes each target for a while, as many at once as there are cores; findings and
# what was learnt stay in build/fuzz/corpus. usage: tests/fuzz/run.sh SECONDS [TARGET...]
#   cmake --preset fuzz && ninja -C build/fuzz fuzzers && tests/fuzz/run.sh 600
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
export build=build/fuzz/tests/fuzz
shift

fuzz() {
  local target=$1
  local corpus=build/fuzz/corpus/$target
  mkdir -p "$corpus"
  if "$build/fuzz_$target" "$corpus" \
    -seed_inputs="@$build/$target.seeds" -max_total_time="$seconds" \
    -max_len=65536 -rss_limit_mb=1024 -timeout=5 -print_final_stats=1 \
    -artifact_prefix="$corpus.finding-" >"$corpus.log" 2>&1; then
    printf '%-12s no finding in %s executions\n' "$target" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus.log")"
  else
    printf '%-12s FINDING, see %s\n' "$target" "$corpus.log"
    return 1
  fi
}
export -f fuzz

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for list in "$build"/*.seeds; do
    targets+=("$(basename "$list" .seeds)")
  done
fi
printf '%s\n' "${targets[@]}" |
  xargs -P "$(nproc)" -I{} bash -c 'fuzz "$1"' _ {}
