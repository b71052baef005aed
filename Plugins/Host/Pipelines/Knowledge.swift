internal import WeirCore
internal import WeirFiles

/// What the plugins of a pipeline know, which is given up when others begin in their place.
struct Knowledge: Sendable {
    /// How many records they have taken.
    var events: UInt64 = 0

    /// How many partial matches they hold; `nil` where none of them says.
    var partialMatches: Int?

    /// Whether anything of the inputs was read for them.
    var hasRead = false
}

extension Pipeline.Context {
    /// Counts and tells that the plugins end in the middle of the input, and others begin anew.
    func abandon(_ knowledge: Knowledge, _ remarks: [String] = []) {
        var losses: [String] = []
        if let partialMatches = knowledge.partialMatches {
            status.update { $0.abandonedPartialMatches += UInt64(partialMatches) }
            if partialMatches > 0 {
                let count = Quantity.counted(UInt64(partialMatches), "partial match is", "partial matches are")
                losses.append("\(count) given up")
            }
        } else if knowledge.events > 0 {
            let count = Quantity.counted(knowledge.events, "event", "events")
            losses.append("what its plugins made of \(count) is given up")
        }
        if knowledge.hasRead { losses += remarks }
        guard !losses.isEmpty else { return }
        console.writeLine("begins anew: " + losses.joined(separator: "; "), about: status.name)
    }
}

extension RunRequest {
    /// What another start means for what the inputs have brought, those of them that another request reads too.
    func restartRemarks(beside next: RunRequest) -> [String] {
        inputs.filter { input in next.inputs.contains { $0.place == input.place } }.compactMap(\.restartRemark)
    }
}

extension RunRequest.Input {
    /// What the input is, to compare it.
    fileprivate var place: String {
        switch source {
        case .demo(let seed): "demo \(seed)"
        case .address(let address): address.text
        }
    }

    /// What another start means for what the input has brought; `nil` where it goes on.
    fileprivate var restartRemark: String? {
        switch source {
        case .demo: break
        case .address(let address) where address.isRecording: break
        case .address(let address) where address.isFile && !FileSystem.isStream(address.path):
            guard address.startsAtEnd else { break }
            return "what comes to '\(name)' before the next start is left out"
        case .address(let address) where address.hasMessages(.input):
            return "what is sent to '\(name)' before the next start is lost"
        case .address: return nil
        }
        return "'\(name)' is read from its beginning again, so matches may come twice"
    }
}
