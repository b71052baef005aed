/// What happened to a name in a folder.
package enum NameChange: Sendable, Hashable {
    /// A file was made.
    case made(String)
    /// A file was renamed, or moved to another folder; the number says which ``arrived(_:_:)`` belongs to it.
    case left(String, UInt32)
    /// A file got this name, in place of one that may have had it.
    case arrived(String, UInt32)
    /// The name was removed.
    case removed(String)
}

/// The files that had one name, one after another, and the names that they have by now.
///
/// Log rotation renames a file again and again: between two looks many files can have had the name that is followed. What
/// happened in the folder says where each of them is.
package struct NameHistory {
    private enum Place: Hashable {
        case name(String)
        /// Between its old name and its new one.
        case moving(UInt32)
    }

    private let name: String
    private var places: [Place] = []
    /// Places that were in ``Place/moving(_:)`` when the changes were last complete.
    private var stalled: Set<UInt32> = []

    /// Counts the changes that make earlier answers wrong.
    package private(set) var revision = 0

    /// How many files were gone before they were taken.
    package private(set) var goneCount = 0

    /// How many files are remembered at most; the oldest ones are counted as gone beyond that.
    package static let limit = 1_024

    /// Creates a history of the files that get a name from now on.
    package init(of name: String) {
        self.name = name
    }

    /// The names of the files that were not taken yet, the oldest file first.
    ///
    /// Ends before the first file that is being renamed.
    package var names: [String] {
        places.prefix { if case .name = $0 { true } else { false } }.compactMap {
            if case .name(let name) = $0 { name } else { nil }
        }
    }

    /// Takes the oldest file off the list.
    package mutating func removeFirst(isGone: Bool) {
        places.removeFirst()
        if isGone { goneCount += 1 }
    }

    /// Notes what happened, in its order.
    package mutating func note(_ change: NameChange) {
        switch change {
        case .made(let made): appear(made)
        case .removed(let removed): lose(.name(removed))
        case .left(let old, let number):
            guard let index = places.firstIndex(of: .name(old)) else { return }
            places[index] = .moving(number)
            revision += 1
        case .arrived(let new, let number):
            // What had the name before lost it.
            lose(.name(new))
            if new == name {
                // It may have been on the list under another name: it is read where it is now.
                places.removeAll { $0 == .moving(number) }
                appear(new)
            } else if let index = places.firstIndex(of: .moving(number)) {
                places[index] = .name(new)
                revision += 1
            }
        }
    }

    /// Marks that all changes until now were noted: what is still between two names went to another folder, once that
    /// was said twice.
    package mutating func noteEnd() {
        for number in stalled { lose(.moving(number)) }
        stalled = []
        for case .moving(let number) in places { stalled.insert(number) }
    }

    private mutating func appear(_ new: String) {
        guard new == name else { return }
        lose(.name(new))
        places.append(.name(new))
        if places.count > Self.limit {
            removeFirst(isGone: true)
            revision += 1
        }
    }

    private mutating func lose(_ place: Place) {
        guard let index = places.firstIndex(of: place) else { return }
        places.remove(at: index)
        goneCount += 1
        revision += 1
    }
}
