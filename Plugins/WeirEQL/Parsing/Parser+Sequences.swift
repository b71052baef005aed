import WeirRecords

extension Parser {
    /// How many events a match may have: a pending match of each key keeps them.
    static var eventLimit: Int { 1000 }

    /// A sequence: `sequence by FIELD with maxspan=5m [...] [...] until [...]`.
    mutating func sequence() throws(QueryError) -> SyntaxTree.Situation {
        let start = token.range
        try advance()
        var keys: [FieldName] = []
        var maxSpan: Int64?
        while true {
            if isWord("by"), keys.isEmpty {
                keys = try self.keys()
            } else if isWord("with"), maxSpan == nil {
                try parameter("maxspan")
                maxSpan = try timeSpan()
            } else {
                break
            }
        }
        var steps: [SyntaxTree.Step] = []
        while isSign(.openBracket) || isSign(.exclamation) { steps.append(try step(of: "a sequence")) }
        guard !steps.isEmpty else {
            throw expected("a step such as '[any where true]'", among: ["by", "with"])
        }
        var until: SyntaxTree.Step?
        if try skip(word: "until") {
            guard isSign(.openBracket) else { throw expected("'[' and a condition after 'until'") }
            until = try step(of: "'until'")
        }
        try check(steps, maxSpan: maxSpan, at: start)
        return .sequence(keys: keys, maxSpan: maxSpan, steps, until: until)
    }

    private func check(_ steps: [SyntaxTree.Step], maxSpan: Int64?, at start: Range<Int>) throws(QueryError) {
        guard steps.contains(where: { !$0.isMissing }) else {
            throw lexer.error("a sequence has at least one step without '!'", at: start)
        }
        let count = steps.reduce(0) { $0 + $1.runs }
        guard count <= Self.eventLimit else {
            throw lexer.error(
                "a sequence has at most \(Self.eventLimit) events, with its runs; this one has \(count)",
                at: start
            )
        }
        if count == 1 {
            throw lexer.error(
                "a sequence has at least two steps; one event is found without 'sequence [...]'",
                at: start
            )
        }
        if maxSpan == nil, let missing = steps.first(where: \.isMissing) {
            throw lexer.error(
                "a step that must not occur needs a time: write 'with maxspan=5m' after 'sequence'",
                at: missing.range
            )
        }
    }

    /// A sample: `sample by FIELD [...] [...]`.
    mutating func sample() throws(QueryError) -> SyntaxTree.Situation {
        let start = token.range
        try advance()
        let keys = isWord("by") ? try self.keys() : []
        if isWord("with") { throw refused("a sample has no time span; write 'sequence' for events within a time") }
        var steps: [SyntaxTree.Step] = []
        while isSign(.openBracket) || isSign(.exclamation) {
            guard !isSign(.exclamation) else {
                throw refused("a sample has no missing events; write 'sequence' for them")
            }
            steps.append(try step(of: "a sample"))
        }
        if isWord("until") { throw refused("a sample has no 'until'; write 'sequence' for it") }
        guard let first = steps.first else {
            throw expected("a condition such as '[any where true]'", among: ["by"])
        }
        guard steps.count > 1 else {
            throw lexer.error("a sample has at least two conditions in brackets", at: start)
        }
        guard !keys.isEmpty || !first.keys.isEmpty else {
            throw lexer.error("a sample needs what its events share: write 'sample by FIELD'", at: start)
        }
        return .sample(keys: keys, steps)
    }

    /// `[...] by ... with runs=...`, or the same with `!` before it.
    private mutating func step(of whole: String) throws(QueryError) -> SyntaxTree.Step {
        let start = token.range.lowerBound
        let isMissing = try skip(.exclamation)
        guard try skip(.openBracket) else { throw expected("'[' after '!'") }
        let filter = try filter()
        guard try skip(.closeBracket) else {
            throw expected("']' after the condition", among: Self.joints)
        }
        var step = SyntaxTree.Step(filter: filter, isMissing: isMissing, range: start..<end)
        var hasRuns = false
        while true {
            if isWord("by"), step.keys.isEmpty {
                step.keys = try keys()
            } else if isWord("with"), !hasRuns {
                guard whole == "a sequence" else { throw refused("'with runs' stands behind a step of a sequence") }
                hasRuns = true
                try parameter("runs")
                step.runs = try count("the number of runs", upTo: Self.eventLimit)
            } else if isWord("fork") {
                throw refused("'fork' is not part of the language; each event that fits extends one pending match")
            } else {
                return step
            }
        }
    }

    /// `by` and names of fields.
    private mutating func keys() throws(QueryError) -> [FieldName] {
        try advance()
        var keys: [FieldName] = []
        repeat {
            guard isWord || token.kind == .quotedName || isSign(.question) else {
                throw expected("the name of a field after '\(keys.isEmpty ? "by" : ",")'")
            }
            keys.append(try fieldName())
            if isSign(.openParenthesis) {
                throw lexer.error("'by' takes fields, not functions", at: keys[keys.count - 1].range)
            }
        } while try skip(.comma)
        return keys
    }

    /// `with`, a name and `=`.
    private mutating func parameter(_ name: String) throws(QueryError) {
        try advance()
        guard try skip(word: name) else { throw expected("'\(name)=' after 'with'", among: [name]) }
        guard try skip(.assign) else { throw expected("'=' after '\(name)'") }
    }

    /// A whole number from 1.
    mutating func count(_ what: String, upTo limit: Int) throws(QueryError) -> Int {
        guard token.kind == .number, let count = Int(spelling), (1...limit).contains(count) else {
            throw expected("\(what), a whole number from 1" + (limit == .max ? "" : " to \(limit)"))
        }
        try advance()
        return count
    }

    /// A time span such as `5m`, in nanoseconds.
    private mutating func timeSpan() throws(QueryError) -> Int64 {
        let start = token.range.lowerBound
        guard token.kind == .number else { throw expected("a time such as 30s or 5m") }
        let digits = String(spelling.prefix { $0.isWholeNumber })
        var unit = String(spelling.dropFirst(digits.count))
        try advance()
        if unit.isEmpty, isWord, Self.units[spelling] != nil {
            unit = spelling
            try advance()
        }
        func refused(_ message: String) -> QueryError { lexer.error(message, at: start..<end) }
        if unit.isEmpty { throw refused("the time needs a unit; did you mean '\(digits)s'?") }
        if unit.hasPrefix(".") { throw refused("a time is a whole number with a unit, such as 1500ms for 1.5s") }
        guard let scale = Self.units[unit] else {
            throw refused("'\(unit)' is no unit of time; write ms, s, m, h or d")
        }
        let product = Int64(digits)?.multipliedReportingOverflow(by: scale)
        guard let product, !product.overflow else { throw refused("the time is longer than 292 years") }
        guard product.partialValue > 0 else { throw refused("the time must be longer than 0") }
        return product.partialValue
    }

    /// The nanoseconds of units of time.
    private static let units: [String: Int64] = [
        "nanos": 1, "micros": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000,
        "h": 3_600_000_000_000, "d": 86_400_000_000_000,
    ]
}
