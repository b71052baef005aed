"""The workloads as bytewax flows: flow.py filter|w1|w4 FILE.csv prints the count and the checksum."""

import sys
from pathlib import Path

import bytewax.operators as op
from bytewax.connectors.files import FileSource
from bytewax.dataflow import Dataflow
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.testing import run_main


class Tally(StatelessSinkPartition):
    """Counts the numbers, and adds them up or remembers the last."""

    count = 0
    total = 0.0

    def __init__(self, remembers_last):
        self.remembers_last = remembers_last

    def write_batch(self, items):
        Tally.count += len(items)
        Tally.total = items[-1] if self.remembers_last else Tally.total + sum(items)


class TallySink(DynamicSink):
    def __init__(self, remembers_last=False):
        self.remembers_last = remembers_last

    def build(self, step_id, worker_index, worker_count):
        return Tally(self.remembers_last)


def fields(line):
    _, key, _, value = line.split(",")
    return key, float(value)


def running_sum(state, value):
    state = (state or 0.0) + value
    return state, state


def main(workload, path):
    flow = Dataflow("peer")
    lines = op.input("lines", flow, FileSource(Path(path), batch_size=1000))
    records = op.filter("no header", lines, lambda line: not line.startswith("time"))
    events = op.map("fields", records, fields)
    if workload == "w4":
        sums = op.stateful_map("sums", events, running_sum)
        op.output("tally", op.map("values", sums, lambda item: item[1]), TallySink())
    else:
        values = op.filter_map("filter", events, lambda event: event[1] if event[1] > 0.5 else None)
        if workload == "w1":
            # A state belongs to a key, so all have the same one.
            doubled = op.map("double", values, lambda value: ("all", value * 2))
            sums = op.stateful_map("sum", doubled, running_sum)
            op.output("tally", op.map("values", sums, lambda item: item[1]), TallySink(remembers_last=True))
        else:
            op.output("tally", values, TallySink())
    run_main(flow)
    print(Tally.count, repr(Tally.total))


main(*sys.argv[1:])
