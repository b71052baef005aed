internal import WeirCore

/// Who wants to hear of the changes of a node, and of its end.
final class SignalAudience {
    // An observation's `deinit` takes it out again.
    private var observations: ContiguousArray<Unretained<SignalObservation>?> = []
    private var emptyPlaces = 0
    private var isTelling = false
    private var followers: ContiguousArray<() -> Bool> = []
    private var endings: [() -> Void] = []

    var isEmpty: Bool { observations.count == emptyPlaces && followers.isEmpty }

    func add(_ observation: SignalObservation) -> Int {
        observations.append(Unretained(observation))
        return observations.count - 1
    }

    func removeObservation(at place: Int) {
        observations[place] = nil
        emptyPlaces += 1
        if !isTelling { closeGaps() }
    }

    private func closeGaps() {
        guard emptyPlaces > 16, emptyPlaces * 2 > observations.count else { return }
        observations.removeAll { $0 == nil }
        emptyPlaces = 0
        for (place, observation) in observations.enumerated() { observation?.with { $0.place = place } }
    }

    /// Adds something to call after each change until it says false.
    func addFollower(_ follower: @escaping () -> Bool) {
        followers.append(follower)
    }

    /// Adds something to call when the node goes away.
    func atEnd(_ ending: @escaping () -> Void) {
        endings.append(ending)
    }

    /// Tells everybody of a change; one that goes meanwhile is not told, one that comes is with the next change.
    func tell() {
        isTelling = true
        for place in observations.indices { observations[place]?.object.tell() }
        isTelling = false
        closeGaps()
        // In place: one that is added meanwhile comes behind the others.
        let present = followers.count
        var staying = 0
        for place in 0..<present where followers[place]() {
            if staying < place { followers.swapAt(staying, place) }
            staying += 1
        }
        if staying < present { followers.removeSubrange(staying..<present) }
    }

    func end() {
        for ending in endings { ending() }
    }
}
