/// What can go wrong between a member of a group and what keeps the group's data.
package struct GroupError: Error, Hashable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// Another member was faster; nothing was changed.
        case outdated
        /// There was no answer, so it is not known whether something was changed.
        case unreachable
        /// The program is to end.
        case interrupted
        /// It can never work.
        case refused
    }

    package let kind: Kind

    /// What is wrong and what to do, on one line.
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    package var description: String { reason }
}
