import Testing
import WeirCore
import WeirRecords

@Suite struct RecordOrderTests {
    @Test func countsWhatComesAfterALaterOne() {
        var order = RecordOrder()
        for seconds in [5, 5, 9, 4, 9, 8, 10] { order.note(Timestamp(secondsSinceEpoch: Int64(seconds))) }
        #expect(order.lateCount == 2)
        #expect(order.greatestLateness == .seconds(5))
    }

    @Test func theEndsOfTimeAreNoTrap() {
        var order = RecordOrder()
        order.note(.distantFuture)
        order.note(.distantPast)
        #expect(order.lateCount == 1)
        #expect(order.greatestLateness > .seconds(18_000_000_000))
    }

    private struct Reading: Event, FieldDecodable {
        enum Key: Int, FieldKey { case time, value }
        let timestamp: Timestamp

        init(from record: borrowing FieldReader<Key>) throws(FieldError) {
            timestamp = try record.timestamp(.time)
            guard try record.double(.value) >= 0 else { throw FieldError(Key.time, .goesBack) }
        }
    }

    @Test(arguments: [false, true])
    func aRecordSourceCountsWhatItTakesAndWhatItRefusesForItsTime(isInOrder: Bool) {
        let source = RecordSource(decoding: Reading.self)
        let consumer = source.consumer(inOrder: isInOrder)
        let text = Array("3,1,1,-1,2,1,x,1,2,-1".utf8)
        unsafe text.withUnsafeBytes { bytes in
            var batch = RecordBatch(schema: consumer.schema)
            unsafe batch.begin(in: bytes)
            for index in 0..<5 {
                batch.beginRecord(line: UInt64(index + 1))
                // Pieces of one character, or of two with a sign.
                let places = [(0, 2, 1), (4, 6, 2), (9, 11, 1), (13, 15, 1), (17, 19, 2)][index]
                batch.setField(0, start: places.0, length: 1, encoding: .bare)
                batch.setField(1, start: places.1, length: places.2, encoding: .bare)
                batch.endRecord(start: places.0, length: 3)
            }
            consumer.receive(&batch)
            #expect(batch.rejections.count == 3)
        }
        let order = consumer.order?()
        // The second and the fifth were refused for it, the third was taken, and the fourth has no time.
        #expect(order?.lateCount == 3)
        #expect(order?.greatestLateness == .milliseconds(2))
    }
}
