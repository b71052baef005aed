internal import WeirCore

/// The rules for subjects, such as `orders.eu.new`.
enum NATSSubject {
    /// How long a subject may be: with all else it must fit the control line of the server.
    static let limit = 1024

    /// Checks a subject.
    ///
    /// - Parameters:
    ///   - subject: The subject.
    ///   - allowsWildcards: Whether a `*` may stand for a token, and a `>` for all that follow, as in subscriptions.
    /// - Throws: ``NATSError`` with what is wrong with it.
    static func check(_ subject: String, allowsWildcards: Bool) throws(NATSError) {
        func refuse(_ reason: String) -> NATSError {
            NATSError(.unsendable, "the subject '\(Excerpt.of(subject.utf8, limit: 80))' \(reason)")
        }
        guard !subject.isEmpty else { throw NATSError(.unsendable, "the subject is missing") }
        guard subject.utf8.count <= limit else { throw refuse("is longer than \(limit) bytes") }
        guard subject.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw refuse("has a blank or a control character, which no subject has")
        }
        let tokens = subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(
            Substring.init
        )
        guard tokens.allSatisfy({ !$0.isEmpty }) else { throw refuse("has nothing before or behind a dot") }
        for (index, token) in tokens.enumerated() where token == "*" || token == ">" {
            guard allowsWildcards else { throw refuse("has a wildcard, and a message goes to one subject") }
            guard token == "*" || index == tokens.count - 1 else { throw refuse("has a '>' that is not its end") }
        }
    }

    /// Checks that the wildcards of a subject that a person wrote are some.
    ///
    /// In a longer token they are characters like all others for a server, which is not what was meant.
    ///
    /// - Throws: ``NATSError`` with what is wrong with it.
    static func checkWildcards(_ subject: String) throws(NATSError) {
        for token in subject.split(separator: ".") where token.utf8.count > 1 {
            guard token.contains(where: { $0 == "*" || $0 == ">" }) else { continue }
            throw NATSError(
                .unsendable,
                "the subject '\(Excerpt.of(subject.utf8, limit: 80))' has '\(Excerpt.of(token.utf8, limit: 80))', and a "
                    + "wildcard stands alone between dots: 'a.*' or 'a.>'"
            )
        }
    }

    /// Whether a pattern with wildcards stands for a subject, which may have some itself.
    static func matches(_ pattern: String, _ subject: String) -> Bool {
        let patterns = pattern.split(separator: ".", omittingEmptySubsequences: false)
        let tokens = subject.split(separator: ".", omittingEmptySubsequences: false)
        for (index, token) in patterns.enumerated() {
            guard token != ">" else { return tokens.count > index }
            guard index < tokens.count, token == "*" && tokens[index] != ">" || token == tokens[index] else {
                return false
            }
        }
        return patterns.count == tokens.count
    }

    /// Whether there are subjects that two patterns both stand for.
    static func overlap(_ first: String, _ second: String) -> Bool {
        let left = first.split(separator: ".", omittingEmptySubsequences: false)
        let right = second.split(separator: ".", omittingEmptySubsequences: false)
        for (index, token) in left.enumerated() {
            guard index < right.count else { return false }
            if token == ">" || right[index] == ">" { return true }
            guard token == "*" || right[index] == "*" || token == right[index] else { return false }
        }
        return left.count == right.count
    }
}

/// How a stream changes the subjects of what it takes.
struct NATSSubjectChange: Sendable, Hashable {
    /// The pattern of the subjects that are changed.
    let source: String

    /// What they become: parts such as `{{wildcard(1)}}` and `{{partition(16,1)}}` are computed.
    let destination: String

    /// Whether messages of a subject are kept where it does not find any of them.
    ///
    /// - Parameter subject: The subject, with wildcards.
    /// - Returns: `false` also where that is not known.
    func hides(_ subject: String) -> Bool {
        guard NATSSubject.overlap(source, subject) else { return false }
        let parts = destination.split(separator: ".", omittingEmptySubsequences: false).map { part in
            let isComputed = part.hasPrefix("{{") && part.hasSuffix("}}") || part.hasPrefix("$")
            return isComputed ? "*" : part
        }
        // Some functions make several parts of one.
        let makesMore = destination.lowercased()
        guard !makesMore.contains("split"), !makesMore.contains("slice") else { return false }
        return !NATSSubject.overlap(parts.joined(separator: "."), subject)
    }
}
