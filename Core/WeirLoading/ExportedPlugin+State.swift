internal import CWeirPlugin
internal import WeirCore
internal import WeirRecords

// How what an instance knows crosses the boundary.
extension ExportedPlugin {
    /// The instance and its host, where both are there.
    @unsafe
    private static func opened(
        _ instance: UnsafeMutableRawPointer?,
        _ host: UnsafePointer<weir_host>?
    ) -> (Instance, weir_host)? {
        guard let instance = unsafe instance, let host = unsafe host?.pointee else { return nil }
        return unsafe (Unmanaged<Instance>.fromOpaque(instance).takeUnretainedValue(), host)
    }

    @unsafe
    static func stateName(_ instance: UnsafeMutableRawPointer?, _ host: UnsafePointer<weir_host>?) {
        guard let (run, host) = unsafe opened(instance, host), let state = run.consumer.state else { return }
        unsafe weir_text.lending(state.fingerprint) { unsafe host.take_bytes?(host.context, $0) }
    }

    @unsafe
    static func save(_ instance: UnsafeMutableRawPointer?, _ host: UnsafePointer<weir_host>?) -> UInt32 {
        guard let (run, host) = unsafe opened(instance, host), let state = run.consumer.state else { return 0 }
        do {
            unsafe try state.save().withUnsafeBufferPointer { bytes in
                unsafe host.take_bytes?(host.context, weir_text(bytes: bytes.baseAddress, length: bytes.count))
            }
            return 1
        } catch {
            unsafe fail(error, host)
            return 0
        }
    }

    @unsafe
    static func restore(
        _ instance: UnsafeMutableRawPointer?,
        _ bytes: weir_text,
        _ drops: UInt32,
        _ host: UnsafePointer<weir_host>?
    ) -> UInt32 {
        guard let (run, host) = unsafe opened(instance, host), let state = run.consumer.state else {
            return UInt32(WEIR_STATE_MISFIT)
        }
        do {
            let saved = unsafe Array(bytes.buffer)
            if let report = try state.restore(saved[...], drops != 0) { unsafe tell(report, host) }
            unsafe tell(run, host)
            return UInt32(WEIR_STATE_RESTORED)
        } catch StateError.mismatch(let report) {
            unsafe tell(report, host)
            return UInt32(WEIR_STATE_MISFIT)
        } catch {
            unsafe fail(error, host)
            return UInt32(WEIR_STATE_FAILED)
        }
    }

    @unsafe
    private static func tell(_ report: RestoreReport, _ host: weir_host) {
        let parts = report.changed.map { ($0, UInt32(0)) } + report.dropped.map { ($0, UInt32(1)) }
        for (part, isGone) in parts {
            unsafe weir_text.lending(part.name) { name in
                unsafe host.take_loss?(host.context, name, UInt64(max(0, part.items)), isGone)
            }
        }
    }

    @unsafe
    private static func fail(_ error: any Error, _ host: weir_host) {
        unsafe weir_text.lending("") { none in
            unsafe weir_text.lending("\(error)") { reason in unsafe host.fail?(host.context, none, reason) }
        }
    }
}
