"""What Perfetto's own parser finds in a trace; tests/e2e/trace_test.cpp compares it.

usage: perfetto_reads.py FILE

Prints JSON: how often each name is there and the sum of its nanoseconds, and what the
parser counts as an error or as lost. The package `perfetto` of PyPI fetches the parser,
a program, when it is first used; VITRAIN_TRACE_PROCESSOR names one that is here already.
Ends with 77 and the reason where there is none.
"""

import json
import os
import sys

NONE = 77

try:
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    parser = TraceProcessor(
        trace=sys.argv[1],
        config=TraceProcessorConfig(bin_path=os.environ.get("VITRAIN_TRACE_PROCESSOR")))
except (ImportError, OSError) as error:
    print(error)
    sys.exit(NONE)
with parser:
    slices = {row.name: [row.n, row.ns] for row in parser.query(
        "select name, count(*) as n, sum(dur) as ns from slice group by name")}
    lost = {row.name: row.value for row in parser.query(
        "select name, value from stats "
        "where severity in ('error', 'data_loss') and value > 0")}
print(json.dumps({"slices": slices, "lost": lost}))
