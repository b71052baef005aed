# Rows of peer, input, workload, events, seconds, seconds of the processor and verdict, as a table or as JSON.
# All rates are of processor time, which other work on the machine hardly changes.
function text(s,    at, c, out) {
    for (at = 1; at <= length(s); at++) {
        c = substr(s, at, 1)
        out = out (c == "\\" || c == "\"" ? "\\" c : c < " " ? " " : c)
    }
    return "\"" out "\""
}
function ratio(x) { return "{\"median\": " x ", \"min\": " x ", \"max\": " x "}" }
function name(i) { return f[i, 2] " " f[i, 3] ": " f[i, 1] }
function limit_of(i) {
    if (f[i, 1] == "c") return 0
    return f[i, 1] == "weir" ? row["c", f[i, 2], f[i, 3]] : row["weir", f[i, 2], f[i, 3]]
}
function has_time(i) { return i && f[i, 7] == "same" && f[i, 6] > 0 }
{
    for (column = 1; column <= 7; column++) f[NR, column] = $column
    row[$1, $2, $3] = NR
    # The rows of one work stand together, in the order in which they came.
    work = $2 SUBSEP $3
    if (!(work in members)) works[++workCount] = work
    members[work] = members[work] " " NR
}
END {
    count = 0
    for (w = 1; w <= workCount; w++) {
        n = split(members[works[w]], own, " ")
        for (m = 1; m <= n; m++) order[++count] = own[m]
    }
    if (format != "json") {
        print "| input | workload | engine | M events/s | M/s of processor time | its processor time / that of Weir | result |"
        print "|-------|----------|--------|-----------:|----------------------:|-------------------:|--------|"
    } else print "["
    for (o = 1; o <= count; o++) {
        i = order[o]
        weir = row["weir", f[i, 2], f[i, 3]]
        if (format != "json") {
            beside = has_time(weir) && f[i, 6] > 0 ? sprintf("%.2f", cost(i) / cost(weir)) : ""
            wall = f[i, 5] > 0 ? sprintf("%.3g", f[i, 4] / f[i, 5] / 1e6) : ""
            processor = f[i, 6] > 0 ? sprintf("%.3g", f[i, 4] / f[i, 6] / 1e6) : ""
            printf "| %s | %s | %s | %s | %s | %s | %s |\n", f[i, 2], f[i, 3], f[i, 1], wall, processor, beside, f[i, 7]
            continue
        }
        isPeer = f[i, 1] != "c" && f[i, 1] != "weir"
        line = "  {\"suite\": \"peers\", \"name\": " text(name(i)) ", \"unit\": \"M/s\", \"rounds\": 1"
        line = line ", \"isPeer\": " (isPeer ? "true" : "false")
        if (has_time(i)) {
            rate = sprintf("%.6g", f[i, 4] / f[i, 6] / 1e6)
            line = line ", \"median\": " rate ", \"min\": " rate ", \"max\": " rate
        }
        limit = limit_of(i)
        if (limit) {
            line = line ", \"limit\": " text(name(limit))
            if (has_time(i) && has_time(limit)) line = line ", \"ratio\": " ratio(cost(i) / cost(limit))
        }
        peers = ""
        for (p = 1; f[i, 1] == "weir" && has_time(i) && p <= count; p++) {
            other = order[p]
            if (f[other, 1] == "c" || other == i || works_differ(other, i) || !has_time(other)) continue
            peers = peers (peers == "" ? "" : ", ") text(name(other)) ": " ratio(cost(other) / cost(i))
        }
        line = line ", \"peers\": {" peers "}, \"checksumOK\": " (f[i, 7] == "same" ? "true" : "false")
        if (f[i, 7] != "same") line = line ", \"failure\": " text(f[i, 7])
        print line "}" (o < count ? "," : "")
    }
    if (format == "json") print "]"
}
function cost(i) { return f[i, 6] / f[i, 4] }
function works_differ(a, b) { return f[a, 2] != f[b, 2] || f[a, 3] != f[b, 3] }
