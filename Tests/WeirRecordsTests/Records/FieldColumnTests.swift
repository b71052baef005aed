import Testing
import WeirCore
import WeirTesting

@testable import WeirRecords

@Suite struct FieldColumnTests {
    /// What a field is read as.
    private enum Reading: CaseIterable {
        case double, integer, time

        /// The value's bits, or why there are none.
        func result(_ fields: RecordFields) -> Result<UInt64, FieldError> {
            do throws(FieldError) {
                switch self {
                case .double: return .success(try fields.double(0).bitPattern)
                case .integer: return .success(UInt64(bitPattern: try fields.integer(0)))
                case .time:
                    let time = try fields.timestamp(0)
                    return .success(UInt64(bitPattern: time.nanosecondsSinceEpoch))
                }
            } catch {
                return .failure(error)
            }
        }
    }

    /// What the records of a batch give, the first of them read before the others.
    private func results(_ batch: borrowing RecordBatch, _ reading: Reading) -> [Result<UInt64, FieldError>] {
        (0..<batch.count).map { reading.result(batch.fields(ofRecordAt: $0)) }
    }

    @Test func whatIsReadAheadIsWhatIsRead() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<600 {
            var texts = (0..<Int.random(in: 1..<150, using: &generator)).map { _ in
                RecordColumnTests.number(&generator)
            }
            for index in texts.indices where Int.random(in: 0..<40, using: &generator) == 0 {
                texts[index] =
                    ["true", "2024-06-08T16:05:00Z", "99999999999999999"].randomElement(using: &generator) ?? ""
            }
            let unit = TimeUnit.allCases.randomElement(using: &generator) ?? .seconds
            let encoding = [FieldEncoding.plain, .bare, .escaped, .null].randomElement(using: &generator) ?? .plain
            let padding = Int.random(in: 0..<40, using: &generator)
            let kernel = ScanKernel.available.randomElement(using: &generator) ?? .portable
            let reading = Reading.allCases.randomElement(using: &generator) ?? .double
            let hasTimes = Bool.random(using: &generator)
            func withBatch(_ body: (inout RecordBatch) -> Void) {
                RecordColumnTests.withBatch(
                    texts,
                    encoding: encoding,
                    unit: unit,
                    times: hasTimes ? InputTimes(unit: unit) : nil,
                    padding: padding,
                    kernel: kernel,
                    body
                )
            }
            var expected: [Result<UInt64, FieldError>] = []
            withBatch { expected = results($0, reading) }
            withBatch { batch in
                // Nothing was asked for yet.
                batch.readAhead()
                let first = results(batch, reading)
                batch.readAhead()
                let comment = "seed \(seed), \(reading) of \(texts)"
                if first != expected { Issue.record("\(comment): before it was asked for") }
                if results(batch, reading) != expected { Issue.record("\(comment): read ahead") }
                for other in Reading.allCases where other != reading {
                    let apart = (0..<batch.count).map { other.result(batch.fields(ofRecordAt: $0)) }
                    if results(batch, other) != apart { Issue.record("\(comment): as \(other)") }
                }
            }
        }
    }

    @Test func numbersAreReadAheadOnceAskedFor() throws {
        RecordColumnTests.withBatch(["1.50", "x", "3"]) { batch in
            batch.readAhead()
            #expect(unsafe batch.columns[0].kind == .none)
            #expect((try? batch.fields(ofRecordAt: 0).double(0)) == 1.5)
            batch.readAhead()
            #expect(unsafe batch.columns[0].hasValue(.double, at: 0))
            #expect(unsafe !batch.columns[0].hasValue(.double, at: 1))
            #expect(unsafe batch.columns[0].hasValue(.double, at: 2))
            #expect(unsafe !batch.columns[0].hasValue(.integer, at: 2))
            // The text stays.
            #expect((try? batch.fields(ofRecordAt: 0).string(0)) == "1.50")
            #expect(throws: FieldError(field: 0, reason: .notANumber("x"))) {
                try batch.fields(ofRecordAt: 1).double(0)
            }
        }
    }

    @Test func timesAreReadAheadWhereNothingIsToBeNoted() {
        let times = InputTimes(unit: .seconds)
        RecordColumnTests.withBatch(["5", "6"], unit: .seconds, times: times) { batch in
            // Its first time shows how an input writes them, so that has to be read by itself.
            #expect(times.scaleOfIntegers == nil)
            #expect((try? batch.fields(ofRecordAt: 1).timestamp(0)) == Timestamp(secondsSinceEpoch: 6))
            #expect(times.scaleOfIntegers == 1_000_000_000)
            batch.readAhead()
            #expect(unsafe batch.columns[0].hasValue(.time, at: 0))
            #expect((try? batch.fields(ofRecordAt: 0).timestamp(0)) == Timestamp(secondsSinceEpoch: 5))
        }
        #expect(InputTimes(unit: nil).scaleOfIntegers == nil)
    }

    @Test func valuesOfOtherRecordsAreForgotten() {
        let bytes = Array("1,2,3,4,                        ".utf8)
        var schema = RecordSchema(fields: [RecordSchema.Field("a")], timeUnit: .seconds)
        schema.timeField = 0
        var batch = RecordBatch(schema: schema, capacity: 4)
        unsafe bytes.withUnsafeBytes { bytes in
            for first in [0, 2] {
                unsafe batch.begin(in: bytes)
                for place in [first, first + 2, first + 4] {
                    batch.beginRecord(line: 1)
                    batch.setField(0, start: place, length: 1, encoding: .plain)
                    batch.endRecord(start: place, length: 1)
                }
                batch.readAhead()
                let expected = (0..<3).map { Timestamp(secondsSinceEpoch: Int64(first / 2 + 1 + $0)) }
                for index in 0..<3 { #expect((try? batch.fields(ofRecordAt: index).timestamp(0)) == expected[index]) }
                batch.refuseRecords(byTime: 0) { $0 == expected[1] ? "no" : nil }
                #expect(batch.count == 2)
                #expect((try? batch.fields(ofRecordAt: 1).timestamp(0)) == expected[2])
            }
        }
    }
}
