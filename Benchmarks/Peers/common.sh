# What the scripts of the peers share; they source it. EVENTS is the number of events in the files, one million unless
# set; of generated events there are ten times as many, but for w6, which takes Flink long, and of those with short values
# five times as many, so that the start of a query weighs little.
set -euo pipefail
peers="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$peers/.build"
events="${EVENTS:-1000000}"
csv="$work/events-$events.csv"
jsonl="$work/events-$events.jsonl"
short_csv="$work/events-$((events * 5)).short-csv"
short_jsonl="$work/events-$((events * 5)).short-jsonl"
stream="$work/stream"

# Builds the generator and makes the files, unless they are there.
prepare() {
    mkdir -p "$work"
    if [ ! -x "$stream" ] || [ "$peers/stream/stream.c" -nt "$stream" ]; then
        "${CC:-cc}" -O2 -std=c11 -Wall -Wextra -Werror -o "$stream" "$peers/stream/stream.c"
    fi
    for file in "$csv" "$jsonl" "$short_csv" "$short_jsonl"; do
        [ -s "$file" ] || write_events "$file"
    done
}

# write_events FILE: writes a file of events, whose name says how many, and how.
write_events() {
    local name="${1##*/events-}"
    "$stream" "${name#*.}" "${name%%.*}" >"$1.part" && mv "$1.part" "$1"
}

# count_of INPUT WORKLOAD: of how many events it is.
count_of() {
    case "$1 $2" in
        "generated w6") echo "$events" ;;
        generated*) echo "$((events * 10))" ;;
        *" numbers" | *" table") echo "$((events * 5))" ;;
        *) echo "$events" ;;
    esac
}

# hotpaths: builds the program that runs Weir, unless WEIR_HOTPATHS names it, and prints its path.
hotpaths() {
    if [ -z "${WEIR_HOTPATHS:-}" ]; then
        "$peers/../Check/build" --product hotpaths
        WEIR_HOTPATHS="$peers/../Check/.build/release/hotpaths"
    fi
    echo "$WEIR_HOTPATHS"
}

# skip PEER WHY: says that a peer is not measured, and ends its script.
skip() {
    echo "$1: skipped: $2" >&2
    exit 0
}

# needs PEER PROGRAM HOW
needs() {
    command -v "$2" >/dev/null || skip "$1" "there is no '$2' ($3)"
}

# measure PEER INPUT WORKLOAD COMMAND...: runs a command, which prints how many results there are, their checksum, and
# possibly its own seconds and those of the processor, without its start; prints a row of peer, input, workload, events,
# seconds, seconds of the processor, and whether the result is right.
measure() {
    local peer="$1" input="$2" workload="$3" total times output count sum seconds processor verdict
    total="$(count_of "$2" "$3")"
    shift 3
    echo "   $peer: $input, $workload" >&2
    local before="$work/$peer.output"
    TIMEFORMAT='%R %U %S'
    if ! times="$({ time timeout 300 "$@" >"$before" 2>"$work/$peer.messages"; } 2>&1)"; then
        printf '%s\t%s\t%s\t%s\t\t\tfailed: %s\n' "$peer" "$input" "$workload" "$total" \
            "$(tail -n 1 "$work/$peer.messages")"
        return
    fi
    output="$(tail -n 1 "$before")"
    read -r count sum seconds processor <<<"$output" || true
    verdict="$("$stream" reference "$workload" "$total" | awk -v count="$count" -v sum="$sum" '{
        off = sum - $2; if (off < 0) off = -off
        print count + 0 == $1 && off <= 1e-9 * $2 ? "same" : "differs: " count " " sum " instead of " $1 " " $2
    }')"
    awk -v row="$peer\t$input\t$workload\t$total" -v times="$times" -v own="${seconds:-}" -v processor="${processor:-}" -v verdict="$verdict" 'BEGIN {
        split(times, t, " ")
        printf "%s\t%.3f\t%.3f\t%s\n", row, own == "" ? t[1] : own, processor == "" ? t[2] + t[3] : processor, verdict
    }'
}
