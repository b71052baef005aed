"""The workloads as plain loops: loop.py filter|w1|w4 FILE.csv|FILE.jsonl prints the count and the checksum."""

import json
import sys


def from_csv(path):
    with open(path) as lines:
        next(lines)
        for line in lines:
            _, key, _, value = line.split(",")
            yield int(key), float(value)


def from_json_lines(path):
    with open(path) as lines:
        for line in lines:
            event = json.loads(line)
            yield event["key"], event["value"]


def main(workload, path):
    events = from_json_lines(path) if path.endswith(".jsonl") else from_csv(path)
    count, total = 0, 0.0
    if workload == "w4":
        sums = {}
        for key, value in events:
            sums[key] = sums.get(key, 0.0) + value
            count += 1
            total += sums[key]
    else:
        factor = 2 if workload == "w1" else 1
        for _, value in events:
            if value > 0.5:
                count += 1
                total += value * factor
    print(count, repr(total))


main(*sys.argv[1:])
