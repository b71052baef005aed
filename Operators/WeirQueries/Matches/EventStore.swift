internal import WeirCore
internal import WeirRecords

/// The events of pending matches until a match is written: an object as it came; of formats without objects the fields, of
/// which the object is made then.
///
/// Rules keep their store when another plugin goes on with them, so one may have fields of several schemas.
///
/// Thread safety: none; for one thread at a time.
final class EventStore {
    private struct Shape {
        let objects: RecordObjects
        let fields: QueryFields
    }

    private let records = RecordStore()
    private let shapes = SharedCell(driven: [Shape]())

    /// What pipes want of events that came from a checkpoint, of which only the objects are kept.
    private struct Restored {
        var places: [String: Int] = [:]
        var values: [UInt32: [QueryValue]] = [:]
    }

    private let restored = SharedCell(driven: Restored())

    /// Makes the fields known that are kept from now on.
    ///
    /// - Returns: Their number; `nil` where there are too many others already.
    func add(_ fields: QueryFields) -> UInt8? {
        if let known = shapes.value.firstIndex(where: { $0.fields.isSame(as: fields) }) { return UInt8(known) }
        guard let number = records.addSchema(fields.schema) else { return nil }
        shapes.withValue { $0.append(Shape(objects: RecordObjects(fields.schema), fields: fields)) }
        return number
    }

    /// Keeps an event for one more holder.
    ///
    /// - Parameters:
    ///   - event: Its number; `FoundMatches.missing` where it is not kept yet.
    ///   - row: The index of its record.
    ///   - block: What it is one of.
    ///   - batch: The batch.
    ///   - shape: The number of the fields of the batch; `nil` where they are not known.
    /// - Returns: Its number.
    func keep(
        _ event: UInt32,
        _ row: Int,
        of block: EventBlock,
        in batch: borrowing RecordBatch,
        shape: UInt8?
    ) -> UInt32 {
        guard event == FoundMatches.missing else {
            records.retain(event)
            return event
        }
        let number = keep(row, of: block, in: batch, shape: shape)
        // The number may have been that of another event.
        if !restored.value.values.isEmpty { restored.value.values[number] = nil }
        return number
    }

    private func keep(_ row: Int, of block: EventBlock, in batch: borrowing RecordBatch, shape: UInt8?) -> UInt32 {
        let hasTypes = block.reader.hasTypes
        let isObject = hasTypes && batch.place(ofRecordAt: row).length > 0
        if isObject, !block.keepsFields { return records.keepBytes(ofRecordAt: row, in: batch) }
        guard let shape else {
            var bytes: [UInt8] = []
            block.objects.append(recordAt: row, in: batch, hasTypes: hasTypes, to: &bytes)
            return records.keep(bytes[...])
        }
        return records.keepFields(
            ofRecordAt: row,
            in: batch,
            schema: shape,
            tag: hasTypes ? 1 : 0,
            keepsBytes: isObject
        )
    }

    /// Adds a holder.
    func retain(_ event: UInt32) { records.retain(event) }

    /// Removes a holder; with the last one the event goes.
    func release(_ event: UInt32) { records.release(event) }

    /// Appends an event as JSON in one line.
    func append(_ event: UInt32, to json: inout [UInt8]) {
        if records.appendLine(of: event, to: &json) { return }
        records.withFields(of: event) { batch, schema, tag in
            shapes.value[Int(schema)].objects.append(recordAt: 0, in: batch, hasTypes: tag != 0, to: &json)
        }
    }

    /// What terms are of an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - terms: The terms.
    ///   - fields: The fields that the terms read.
    /// - Returns: For each pipe what its terms are.
    func values(of event: UInt32, _ terms: [[TermProgram]], fields: QueryFields) -> [[QueryValue]] {
        var result: [[QueryValue]] = []
        read(event) { value in
            result = terms.map { terms in
                terms.map { term in
                    var values = [QueryValue](repeating: .missing, count: fields.fields.count)
                    for field in term.fields { values[field] = value(fields.fields[field]) }
                    return term.value(of: values)
                }
            }
        }
        return result
    }

    /// Reads fields of an event whose fields are kept.
    private func read(_ event: UInt32, _ body: ((QueryPlan.Field) -> QueryValue) -> Void) {
        if let values = restored.value.values[event] {
            let places = restored.value.places
            return body { field in places[field.savedName].map { values[$0] } ?? .missing }
        }
        records.withFields(of: event) { batch, schema, tag in
            let kept = shapes.value[Int(schema)].fields
            var reader = RecordValues(kept)
            reader.hasTypes = tag != 0
            body { field in kept.index(of: field).map { reader.value(of: $0, at: 0, in: batch) } ?? .missing }
        }
    }

    // MARK: Saving

    /// An event as a checkpoint has it.
    ///
    /// - Parameters:
    ///   - event: Its number.
    ///   - fields: Those that pipes want.
    /// - Returns: Its object, and the fields.
    func saved(_ event: UInt32, _ fields: [QueryPlan.Field]) -> SavedEvent {
        var (line, values): ([UInt8], [QueryValue]) = ([], [])
        append(event, to: &line)
        if !fields.isEmpty {
            // Of one that was kept before a pipe wanted fields only the object is there.
            values = Array(repeating: .missing, count: fields.count)
            read(event) { value in values = fields.map(value) }
        }
        return SavedEvent(line: line[...], values: values)
    }

    /// Gets what ``QueryPlan/Field/savedName`` was of the fields that pipes wanted of the events of a checkpoint.
    func restore(_ fields: [String]) {
        restored.value.places = Dictionary(fields.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// Keeps an event of a checkpoint for one holder; none was kept before but such.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - fieldCount: How many fields pipes wanted.
    /// - Returns: Its number; `nil` where it has another number of fields.
    func restore(_ event: SavedEvent, fieldCount: Int) -> UInt32? {
        // Earlier builds have saved none where only the object was there.
        guard event.values.isEmpty || event.values.count == fieldCount else { return nil }
        let number = records.keep(event.line)
        if !event.values.isEmpty { restored.value.values[number] = event.values }
        return number
    }
}

extension QueryPlan.Field {
    /// What tells it from others in a checkpoint.
    var savedName: String { "\(name): \(type?.rawValue ?? "any")" }
}

/// An event of pending matches, as a checkpoint has it.
struct SavedEvent: StateCodable {
    /// The object.
    let line: ArraySlice<UInt8>
    /// What pipes want of it.
    let values: [QueryValue]

    /// How many bytes it has at least.
    static var leastSize: Int { 12 }

    init(line: ArraySlice<UInt8>, values: [QueryValue]) { (self.line, self.values) = (line, values) }

    func save(to writer: inout StateWriter) throws(StateError) {
        writer.write(bytes: line)
        try values.saveValues(to: &writer)
    }

    init(restoringFrom reader: inout StateReader) throws(StateError) {
        line = try reader.readSlice()
        values = try [QueryValue](valuesFrom: &reader)
    }
}
