internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// The first records of an input, read in a certain way.
struct GuessSample {
    /// The names of the fields, in the order of the input, without those that it has more than once.
    let names: [String]

    /// The names that the input has more than once, so that no field can be read by them.
    let repeatedNames: [String]

    /// How many fields the input has, whatever their names.
    let fieldCount: Int

    /// The values of each record; `nil` where there is none.
    private(set) var rows: [[String?]] = []

    /// For each field whether it is an array or an object in some record.
    private(set) var isNested: [Bool]

    /// How many lines were rejected.
    private(set) var rejectedCount = 0

    /// How many records are looked at.
    private static let recordLimit = 1000

    /// Reads the bytes.
    ///
    /// The result is `nil` where the input as a whole cannot be read so.
    ///
    /// - Parameters:
    ///   - bytes: The start of an input, up to the end of a line.
    ///   - format: How to read them.
    ///   - inner: Names to read beside those that the input has.
    ///   - limits: What it may take.
    init?(_ bytes: [UInt8], _ format: any Format, adding inner: [String] = [], _ limits: FormatLimits) {
        guard let survey = try? FieldSurvey(ByteSource(bytes), format: format, limits: limits) else { return nil }
        let counts = Dictionary(survey.names.map { ($0, 1) }, uniquingKeysWith: +)
        var seen: Set<String> = []
        repeatedNames = survey.names.filter { counts[$0] != 1 && seen.insert($0).inserted }
        fieldCount = survey.names.count
        names = survey.names.filter { counts[$0] == 1 } + inner
        isNested = Array(repeating: false, count: names.count)
        guard !names.isEmpty, Set(names).count == names.count else { return nil }
        var reader = RecordReader(
            ByteSource(bytes),
            format: format,
            schema: RecordSchema(fields: names.map { RecordSchema.Field($0, isRequired: false) }),
            limits: limits
        )
        do {
            while rows.count < Self.recordLimit, try reader.next({ batch in take(batch) }) {}
        } catch {
            return nil
        }
    }

    private mutating func take(_ batch: borrowing RecordBatch) {
        rejectedCount += batch.rejections.count { !$0.isContinuation }
        for index in 0..<batch.count {
            var row: [String?] = []
            for field in names.indices {
                var text: [UInt8] = []
                let shape = batch.appendText(ofField: field, recordAt: index, to: &text)
                isNested[field] = isNested[field] || shape == .nested
                row.append(shape == .absent || shape == .null ? nil : String(decoding: text, as: UTF8.self))
            }
            rows.append(row)
        }
    }

    /// The part of the lines that could be read, from 0 to 1.
    var share: Double { rows.isEmpty ? 0 : Double(rows.count) / Double(rows.count + rejectedCount) }

    /// The values of a field, without those that are missing or empty.
    func values(of field: Int) -> [String] { rows.compactMap { $0[field] }.filter { !$0.isEmpty } }
}
