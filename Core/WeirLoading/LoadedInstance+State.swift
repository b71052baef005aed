internal import CWeirPlugin
internal import WeirCore
internal import WeirRecords

// How what a loaded plugin knows is saved.
extension LoadedInstance {
    /// Why a library could not save, or take what was saved.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// How to save it; `nil` where the library is older than that, or does not say how.
    var state: ConsumerState? {
        guard let nameOf = unsafe table.state_name, unsafe table.save != nil, unsafe table.restore != nil else {
            return nil
        }
        let name = unsafe HostCalls.bytes { unsafe nameOf(instance, $0) }
        guard !name.isEmpty else { return nil }
        // It is not known what threads a library has.
        return ConsumerState(fingerprint: String(decoding: name, as: UTF8.self), canBeSavedInCopy: false) {
            try self.save()
        } restore: { bytes, drops in
            try self.restore(bytes, droppingMismatches: drops)
        }
    }

    private func save() throws -> [UInt8] {
        let calls = HostCalls()
        let isSaved = unsafe calls.during { unsafe table.save?(instance, $0) ?? 0 }
        guard isSaved == 1 else { throw failure(calls) }
        return calls.bytes
    }

    private func restore(_ bytes: ArraySlice<UInt8>, droppingMismatches drops: Bool) throws -> RestoreReport? {
        let calls = HostCalls(output, counts)
        let result = unsafe bytes.withUnsafeBufferPointer { bytes in
            let text = unsafe weir_text(bytes: bytes.baseAddress, length: bytes.count)
            return unsafe calls.during { unsafe table.restore?(instance, text, drops ? 1 : 0, $0) ?? 0 }
        }
        counts = calls.counts
        updatePartialMatches()
        let report = RestoreReport(
            changed: calls.losses.filter { !$0.isGone }.map(\.part),
            dropped: calls.losses.filter(\.isGone).map(\.part)
        )
        switch Int(result) {
        case Int(WEIR_STATE_RESTORED): return report
        case Int(WEIR_STATE_MISFIT): throw StateError.mismatch(report)
        default: throw failure(calls)
        }
    }

    private func failure(_ calls: HostCalls) -> Failure {
        Failure(description: calls.failure?.reason ?? "the library says no reason")
    }
}
