internal import CWeirPlugin
internal import Synchronization
internal import WeirCore
internal import WeirRecords

/// A run of a loaded plugin, seen from the host.
///
/// Used by one thread at a time, as record consumers are.
@safe
final class LoadedInstance {
    let schema: RecordSchema

    let table: weir_plugin
    let output: MatchOutput
    private(set) var instance: UnsafeMutableRawPointer?
    var counts: [NamedCount] = []
    private let partialMatches = PartialMatches()

    // Copies of where the records are, in the boundary's layout; kept from batch to batch.
    private var rows: [weir_row] = []
    private var slots: [weir_slot] = []

    @unsafe
    init(
        _ table: weir_plugin,
        _ options: OptionValues,
        times: InputTimes?,
        _ output: MatchOutput
    ) throws(PluginError) {
        unsafe self.table = table
        self.output = output
        let calls = HostCalls()
        unsafe instance = weir_setting.lending(options.given) { settings, count in
            unsafe calls.during { unsafe table.start(settings, count, $0) }
        }
        var schema = calls.schema ?? RecordSchema(fields: [])
        schema.times = times
        self.schema = schema
        if let (option, reason) = calls.failure {
            throw option.isEmpty ? .cannotStart(reason: reason) : .invalidOption(name: option, reason: reason)
        }
        guard unsafe instance != nil else {
            throw .cannotStart(reason: "the plugin does not start, and says no reason")
        }
        guard calls.schema != nil else { throw .cannotStart(reason: "the plugin does not say which fields it wants") }
        if updatePartialMatches() {
            output.showPartialMatches { [partialMatches] in partialMatches.count.load(ordering: .relaxed) }
        }
    }

    deinit {
        if let instance = unsafe instance { unsafe table.release(instance) }
    }

    func receive(_ batch: inout RecordBatch) {
        copyPlaces(of: batch)
        let calls = HostCalls(output, counts)
        let (rows, slots) = (rows, slots)
        var byteCount = 0
        let wantsMore: UInt32 = unsafe batch.withBytes { bytes in
            byteCount = bytes.count
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe rows.withUnsafeBufferPointer { rows in
                unsafe slots.withUnsafeBufferPointer { slots in
                    var view = unsafe weir_batch(
                        bytes: base,
                        byte_count: bytes.count,
                        rows: rows.baseAddress,
                        slots: slots.baseAddress,
                        count: rows.count,
                        field_count: schema.fields.count
                    )
                    return unsafe calls.during { unsafe table.receive(instance, &view, $0) }
                }
            }
        }
        for rejection in calls.rejections {
            // Places outside of the batch would be read from there.
            let isInside = rejection.start <= byteCount && rejection.length <= byteCount - rejection.start
            batch.reject(
                line: rejection.line,
                reason: rejection.reason,
                start: isInside ? rejection.start : 0,
                length: isInside ? rejection.length : 0
            )
        }
        counts = calls.counts
        updatePartialMatches()
        if wantsMore == 0 { output.end() }
    }

    /// Reads the number of partial matches, on the thread that uses the instance.
    ///
    /// - Returns: Whether the plugin reports it.
    @discardableResult
    func updatePartialMatches() -> Bool {
        guard let function = unsafe table.partial_matches else { return false }
        let count = unsafe function(instance)
        guard count != .max else { return false }
        // Small enough that those of many instances can be added up, whatever they say.
        partialMatches.count.store(Int(min(count, 1 << 48)), ordering: .relaxed)
        return true
    }

    private func copyPlaces(of batch: borrowing RecordBatch) {
        rows.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
        for record in 0..<batch.count {
            let place = batch.place(ofRecordAt: record)
            rows.append(
                weir_row(line: place.line, start: UInt32(place.start), length: UInt32(place.length))
            )
            for field in schema.fields.indices {
                let slot = batch.place(ofField: field, inRecordAt: record)
                slots.append(
                    weir_slot(
                        start: UInt32(slot.start),
                        length: UInt32(slot.length),
                        encoding: UInt32(slot.encoding.rawValue) | UInt32(slot.scale) << 8
                    )
                )
            }
        }
    }

    func finish(_ completion: Completion) {
        let calls = HostCalls(output, counts)
        var failure = ""
        switch completion {
        case .finished: break
        case .failed(let error): failure = "\(error)"
        // The library knows two ends only; what is cut off is not whole.
        case .interrupted: failure = "the input was interrupted"
        }
        unsafe weir_text.lending(failure) { failure in
            unsafe calls.during { unsafe table.finish(instance, failure, $0) }
        }
        counts = calls.counts
        updatePartialMatches()
    }

    /// How many partial matches there were when the instance was asked last.
    private final class PartialMatches: Sendable {
        let count = Atomic(0)
    }
}
