# What the scripts of the peers share; they source it. EVENTS is the number of events in the files, one million unless
# set; of generated events there are ten times as many, but for w6, which takes Flink long.
set -euo pipefail
peers="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$peers/.build"
events="${EVENTS:-1000000}"
csv="$work/events-$events.csv"
jsonl="$work/events-$events.jsonl"
stream="$work/stream"

# Builds the generator and makes the files, unless they are there.
prepare() {
    mkdir -p "$work"
    if [ ! -x "$stream" ] || [ "$peers/stream/stream.c" -nt "$stream" ]; then
        "${CC:-cc}" -O2 -std=c11 -Wall -Wextra -Werror -o "$stream" "$peers/stream/stream.c"
    fi
    for kind in csv jsonl; do
        file="$work/events-$events.$kind"
        [ -s "$file" ] || { "$stream" "$kind" "$events" >"$file.part" && mv "$file.part" "$file"; }
    done
}

# count_of WORKLOAD: how many events are generated for it.
count_of() { if [ "$1" = w6 ]; then echo "$events"; else echo "$((events * 10))"; fi; }

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
    local peer="$1" input="$2" workload="$3" events="$events" times output count sum seconds processor verdict
    [ "$2" != generated ] || events="$(count_of "$3")"
    shift 3
    echo "   $peer: $input, $workload" >&2
    local before="$work/$peer.output"
    TIMEFORMAT='%R %U %S'
    if ! times="$({ time timeout 300 "$@" >"$before" 2>"$work/$peer.messages"; } 2>&1)"; then
        printf '%s\t%s\t%s\t%s\t\t\tfailed: %s\n' "$peer" "$input" "$workload" "$events" \
            "$(tail -n 1 "$work/$peer.messages")"
        return
    fi
    output="$(tail -n 1 "$before")"
    read -r count sum seconds processor <<<"$output" || true
    verdict="$("$stream" reference "$workload" "$events" | awk -v count="$count" -v sum="$sum" '{
        off = sum - $2; if (off < 0) off = -off
        print count + 0 == $1 && off <= 1e-9 * $2 ? "same" : "differs: " count " " sum " instead of " $1 " " $2
    }')"
    awk -v row="$peer\t$input\t$workload\t$events" -v times="$times" -v own="${seconds:-}" -v processor="${processor:-}" -v verdict="$verdict" 'BEGIN {
        split(times, t, " ")
        printf "%s\t%.3f\t%.3f\t%s\n", row, own == "" ? t[1] : own, processor == "" ? t[2] + t[3] : processor, verdict
    }'
}
