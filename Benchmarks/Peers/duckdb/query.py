"""Reads columns: query.py columns|numbers|table csv|jsonl FILE prints count, sum, seconds and seconds of the processor.

Of a table all columns are read, and add to the sum; else times and values.
"""

import sys
import time

import duckdb

workload, kind, path = sys.argv[1:]
if kind == "jsonl":
    source = "read_json(?, format = 'newline_delimited', columns = {time: 'BIGINT', value: 'DOUBLE'})"
else:
    columns = "{time: 'BIGINT', key: 'BIGINT', type: 'VARCHAR', value: 'DOUBLE'}"
    source = f"read_csv(?, header = true, delim = ',', columns = {columns})"
others = "sum(key) + count(*) FILTER (type = 'A')" if workload == "table" else "0"
connection = duckdb.connect(config={"threads": 1})
start, processor = time.perf_counter(), time.process_time()
count, total, others, _ = connection.execute(
    f"SELECT count(*) FILTER (value > 0.5), sum(value) FILTER (value > 0.5), {others}, max(time) FROM {source}", [path]
).fetchone()
print(count, repr(total + float(others)), time.perf_counter() - start, time.process_time() - processor)
