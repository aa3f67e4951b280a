#!/bin/sh
# Runs the tests: sets up and builds on the first call, then ctest.
# Arguments go to ctest:   ./run_tests.sh -L unit     ./run_tests.sh -R Sampler
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd -P)
"$root/tools/setup.sh" tests
exec ctest --test-dir "$root/build/release" --output-on-failure -j 2 \
  -LE slow --no-tests=error "$@"
