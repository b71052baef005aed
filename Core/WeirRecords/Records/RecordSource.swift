public import WeirCore

/// Where records enter a pipeline: decodes each into an event and publishes the events in batches.
///
///     let readings = RecordSource(decoding: Reading.self)
///     readings.filter { $0.celsius > 30 }.attach(output.sink())
///     let consumer = readings.consumer()
///
/// A record that the decoder refuses joins the rejections of its batch; the others go on.
@frozen
public struct RecordSource<Decoder: EventDecoder>: GroupableStream {
    public typealias Element = Decoder.Output

    @usableFromInline let decoder: Decoder
    @usableFromInline let schema: RecordSchema
    @usableFromInline let channel: EventChannel<Element>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - decoder: Makes events of records.
    ///   - schema: What is wanted of each record: a field for each of the decoder's keys, in their order.
    public init(_ decoder: Decoder, schema: RecordSchema = RecordSchema(Decoder.Key.self)) {
        precondition(
            schema.fields.count == Decoder.Key.allCases.count,
            "the schema has \(schema.fields.count) fields, \(Decoder.Key.self) has \(Decoder.Key.allCases.count) keys"
        )
        self.decoder = decoder
        self.schema = schema
        self.channel = EventChannel()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        channel.attach(sink)
    }

    /// Makes what a host feeds with records.
    ///
    /// Each consumer starts with the decoder as it was given.
    ///
    /// - Parameters:
    ///   - inOrder: Whether all sinks get an event before any gets the next one. Otherwise a sink gets all events of a batch
    ///     at once, which is faster, and what several sinks write of a batch stands sink by sink.
    ///   - savesState: Whether a host may save what the decoder and the sinks remember, and give it to the consumer of
    ///     another run. True only where nothing else remembers anything, such as a closure that changes a variable.
    /// - Returns: The consumer.
    /// - Complexity: O(1) per record and no allocation in steady state, beyond what the decoder does.
    @inlinable
    public func consumer(inOrder: Bool = false, savesState: Bool = false) -> RecordConsumer {
        let channel = channel
        let state = SharedCell(driven: Decoding(decoder))
        let receiveEach: (inout RecordBatch, (borrowing RecordBatch, Int) -> Void) -> Void = { batch, done in
            batch.readAhead()
            state.withLocal { state in
                for index in 0..<batch.count {
                    do throws(FieldError) {
                        let event = try state.decoder.decode(FieldReader(batch.fields(ofRecordAt: index)))
                        state.order.note(event.timestamp)
                        channel.publish(event)
                    } catch {
                        state.order.note(recordAt: index, of: batch, refusedBecause: error)
                        batch.reject(recordAt: index, because: error)
                    }
                    done(batch, index)
                }
            }
        }
        let consumer = RecordConsumer(
            schema: schema,
            receive: { batch in
                guard !inOrder else { return receiveEach(&batch) { _, _ in } }
                batch.readAhead()
                state.withLocal { state in
                    state.events.removeAll()
                    for index in 0..<batch.count {
                        do throws(FieldError) {
                            let event = try state.decoder.decode(FieldReader(batch.fields(ofRecordAt: index)))
                            state.order.note(event.timestamp)
                            state.events.append(event)
                        } catch {
                            state.order.note(recordAt: index, of: batch, refusedBecause: error)
                            batch.reject(recordAt: index, because: error)
                        }
                    }
                    state.events.withWaiting { _ = channel.publish(contentsOf: $0) }
                }
            },
            receiveEach: receiveEach,
            finish: { channel.finish($0) },
            order: {
                var order = RecordOrder()
                state.withLocal { order = $0.order }
                return order
            }
        )
        return savesState ? saving(consumer, state) : consumer
    }

    /// The consumer, which a host can save.
    @usableFromInline
    func saving(
        _ consumer: RecordConsumer,
        _ cell: SharedCell<Decoding<Decoder>>
    ) -> RecordConsumer {
        let schema = schema
        func exchange(_ state: inout StateExchange) throws(StateError) {
            try state.begin("decoder")
            try cell.value.decoder.exchangeState(&state)
            if let times = schema.times {
                try state.begin("times")
                try times.exchangeState(&state)
            }
            try state.begin("order")
            try state.exchange(&cell.value.order)
            try channel.exchangeState(&state)
        }
        var consumer = consumer
        consumer.state = ConsumerState(
            // The checkpoint itself says which operators and types it has.
            fingerprint: "channel",
            save: { try Checkpoint(of: exchange).bytes },
            restore: { try Checkpoint($0).restore(droppingMismatches: $1, to: exchange) }
        )
        return consumer
    }
}

/// What a consumer of records works on: its decoder, the events of the current batch, and the order of all so far.
@frozen
@usableFromInline
struct Decoding<Decoder: EventDecoder>: ~Copyable {
    @usableFromInline var decoder: Decoder
    @usableFromInline var events = DrivenBuffer<Decoder.Output>()
    @usableFromInline var order = RecordOrder()

    @inlinable
    init(_ decoder: Decoder) {
        self.decoder = decoder
    }
}

extension RecordSource {
    /// Creates a source of events that read themselves, under the names of their own keys.
    public init<Output: FieldDecodable>(decoding type: Output.Type = Output.self) where Decoder == SelfDecoder<Output> {
        self.init(SelfDecoder())
    }
}
