internal import CWeirPlugin
internal import WeirCore

/// A run of a loaded plugin, seen from the host.
///
/// Used by one thread at a time, as record consumers are.
@safe
final class LoadedInstance {
    private(set) var schema = RecordSchema(fields: [])

    private let table: UnsafePointer<weir_plugin>
    private let output: MatchOutput
    private var instance: UnsafeMutableRawPointer?
    private var counts: [NamedCount] = []

    // Copies of where the records are, in the boundary's layout; kept from batch to batch.
    private var rows: [weir_row] = []
    private var slots: [weir_slot] = []

    @unsafe
    init(
        _ table: UnsafePointer<weir_plugin>,
        _ given: [String: String],
        _ output: MatchOutput
    ) throws(PluginError) {
        unsafe self.table = table
        self.output = output
        let calls = HostCalls()
        let texts = given.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        unsafe instance = Self.lend(texts[...], []) { texts in
            let settings = unsafe stride(from: 0, to: texts.count, by: 2).map {
                unsafe weir_setting(name: texts[$0], value: texts[$0 + 1])
            }
            return unsafe calls.during { host in
                unsafe settings.withUnsafeBufferPointer { unsafe table.pointee.start($0.baseAddress, $0.count, host) }
            }
        }
        guard unsafe instance != nil else {
            let (option, reason) = calls.failure ?? ("", "it gives no reason")
            throw .invalidOption(name: option, reason: reason)
        }
        schema = calls.schema
    }

    deinit {
        unsafe table.pointee.release(instance)
    }

    /// Lends texts, all at once.
    @unsafe
    private static func lend<Result>(
        _ texts: ArraySlice<String>,
        _ lent: [weir_text],
        _ body: ([weir_text]) -> Result
    ) -> Result {
        guard let first = texts.first else { return unsafe body(lent) }
        return unsafe weir_text.lending(first) { unsafe lend(texts.dropFirst(), lent + [$0], body) }
    }

    func receive(_ batch: inout RecordBatch) {
        copyPlaces(of: batch)
        let calls = HostCalls(output, counts)
        let (rows, slots) = (rows, slots)
        let wantsMore: UInt32 = unsafe batch.withBytes { bytes in
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
                    return unsafe calls.during { unsafe table.pointee.receive(instance, &view, $0) }
                }
            }
        }
        for rejection in calls.rejections {
            batch.reject(
                line: rejection.line,
                reason: rejection.reason,
                start: rejection.start,
                length: rejection.length
            )
        }
        counts = calls.counts
        if wantsMore == 0 { output.end() }
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
        if case .failed(let error) = completion { failure = "\(error)" }
        unsafe weir_text.lending(failure) { failure in
            unsafe calls.during { unsafe table.pointee.finish(instance, failure, $0) }
        }
        counts = calls.counts
    }
}
