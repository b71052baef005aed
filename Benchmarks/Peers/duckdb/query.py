"""Reads times and values: query.py FILE.csv|FILE.jsonl prints count, sum, seconds and seconds of the processor."""

import sys
import time

import duckdb

path = sys.argv[1]
if path.endswith(".jsonl"):
    source = "read_json(?, format = 'newline_delimited', columns = {time: 'BIGINT', value: 'DOUBLE'})"
else:
    columns = "{time: 'BIGINT', key: 'BIGINT', type: 'VARCHAR', value: 'DOUBLE'}"
    source = f"read_csv(?, header = true, delim = ',', columns = {columns})"
connection = duckdb.connect(config={"threads": 1})
start, processor = time.perf_counter(), time.process_time()
count, total, _ = connection.execute(
    f"SELECT count(*) FILTER (value > 0.5), sum(value) FILTER (value > 0.5), max(time) FROM {source}", [path]
).fetchone()
print(count, repr(total), time.perf_counter() - start, time.process_time() - processor)
