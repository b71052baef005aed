import WeirCore
import WeirFormats
import WeirRecords

/// A conversion of a whole input, as a host does it.
struct Conversion {
    /// The output.
    private(set) var output: [UInt8] = []

    /// Why records or lines were rejected.
    private(set) var rejections: [String] = []

    /// Converts an input.
    ///
    /// - Parameters:
    ///   - input: All of it.
    ///   - source: How it is written.
    ///   - target: How to write it.
    ///   - fields: The fields to write; `nil` for those that the input has.
    ///   - types: Declared types by name.
    ///   - times: How the input writes its times.
    ///   - limit: The longest line.
    ///   - capacity: How many records a batch holds.
    /// - Throws: When the input as a whole cannot be read, or the target not be written.
    init(
        _ input: [UInt8],
        from source: any Format,
        to target: any Format,
        fields: [String]? = nil,
        types: [String: FieldType] = [:],
        times: InputTimes? = nil,
        limit: Int = 1 << 20,
        capacity: Int = 512
    ) throws {
        let limits = FormatLimits(lineLength: limit)
        let names = try fields ?? Self.names(in: input, source, limits)
        var schema = OutputSchema(
            fields: names.map { OutputSchema.Field($0, type: types[$0]) },
            tellsTextFromNumbers: source.tellsTextFromNumbers,
            limits: limits
        )
        schema.times = times
        guard var encoder = target.makeEncoder(for: schema) else {
            throw FormatError.badHeader("'\(target.name)' cannot be written")
        }
        var reader = RecordReader(
            ByteSource(input),
            format: source,
            schema: RecordSchema(fields: names.map { RecordSchema.Field($0, isRequired: false) }),
            limits: limits,
            batchCapacity: capacity
        )
        while try reader.next({ batch in
            for index in 0..<batch.count { encoder.encode(recordAt: index, of: &batch, into: &output) }
            rejections += batch.rejections.map(\.reason)
        }) {}
        encoder.finish(into: &output)
    }

    /// The names of the fields of an input.
    static func names(in input: [UInt8], _ format: any Format, _ limits: FormatLimits) throws -> [String] {
        guard var finder = format.makeFieldFinder(limits: limits) else { return [] }
        unsafe try input.withUnsafeBytes { _ = unsafe try finder.find(in: $0, isFinal: true) }
        return finder.names
    }

    /// The output as text.
    var text: String { String(decoding: output, as: UTF8.self) }
}
