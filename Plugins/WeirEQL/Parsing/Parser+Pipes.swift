import WeirRecords

extension Parser {
    /// What stands behind `|`.
    mutating func pipe() throws(QueryError) -> SyntaxTree.Pipe {
        let names = ["head", "tail", "count", "unique", "sort"]
        guard isWord else { throw expected("a pipe: head, tail, count, unique or sort") }
        let name = spelling
        switch name {
        case "head", "tail":
            try advance()
            let count = try count("the number of matches after '\(name)'", upTo: .max)
            return name == "head" ? .head(count) : .tail(count)
        case "count", "unique", "sort":
            try advance()
            let isEnd = token.kind == .end || isSign(.bar)
            if isEnd, name == "count" { return .count([]) }
            guard !isEnd else { throw expected("a field after '\(name)'") }
            var terms: [Condition] = []
            repeat { terms.append(try condition()) } while try skip(.comma)
            return name == "count" ? .count(terms) : name == "unique" ? .unique(terms) : .sort(terms)
        case "filter":
            throw refused("the pipe 'filter' is not part of the language; write the condition after 'where'")
        case "unique_count":
            throw refused("the pipe 'unique_count' is not part of the language; write '| count FIELD'")
        default:
            throw expected("a pipe: head, tail, count, unique or sort", among: names)
        }
    }
}
