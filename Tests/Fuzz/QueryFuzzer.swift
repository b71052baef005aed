import WeirEQL
import WeirRecords

@testable import WeirQueries

/// Queries.
///
/// A query is refused with a place within it, or written anew it means the same.
func checkQuery(_ input: inout Input) {
    let fields: [String: QueryType?] = ["a": .text, "b": .integer, "c": .boolean, "d": .version, "e": nil]
    let schema = QuerySchema(fields: fields, isOpen: input.byte() & 1 == 0)
    let text = input.text
    do throws(QueryError) {
        let plan = try EQL().compile(text, against: schema)
        let written = plan.description
        do throws(QueryError) {
            let again = try EQL().compile(written, against: schema).description
            require(again == written, "'\(text)' is '\(written)', and that '\(again)'")
        } catch {
            fatalError("'\(text)' is written as '\(written)': \(error)")
        }
    } catch {
        requireLine(error.message)
        require(error.offset >= 0 && error.offset + error.length <= text.utf8.count, "\(error) is at another place")
    }
}

/// Patterns, and texts that they match or do not.
///
/// The table of a regular expression and its places say the same.
func checkTextPattern(_ input: inout Input) {
    let choice = input.byte()
    let pattern = String(decoding: input.bytes(Int(input.byte() % 32)), as: UTF8.self)
    let bytes = Array(input.rest)
    let ignoresCase = choice & 1 == 0
    do throws(TextPatternError) {
        let literal = try TextPattern(pattern, .literal, ignoringCase: ignoresCase)
        require(literal.matches(pattern), "'\(pattern)' is not itself")
        let wildcard = try TextPattern(pattern, .wildcard, ignoringCase: ignoresCase)
        require(
            !literal.matches(ContiguousArray(bytes).span) || wildcard.matches(ContiguousArray(bytes).span),
            "'\(pattern)' does not match its text"
        )
        let expression = try TextPattern(pattern, .regularExpression, ignoringCase: ignoresCase)
        let tree = try RegularExpressionParser.tree(of: pattern, ignoringCase: ignoresCase)
        let places = PositionMatcher(try Positions(tree), ignoringCase: ignoresCase)
        let folded = ignoresCase ? Letters.folded(bytes) : bytes
        let found = expression.matches(ContiguousArray(bytes).span)
        require(found == places.matches(ContiguousArray(folded).span), "'\(pattern)' on \(bytes)")
    } catch {
        requireLine(error.message)
        require((0...pattern.utf8.count).contains(error.offset), "\(error.offset) is not within '\(pattern)'")
    }
}
