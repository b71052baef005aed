public import WeirCore
public import WeirDispatch
public import WeirRecording

extension EventBus {
    /// Records every event of a type that is dispatched on this bus, with its priority and its dispatch time.
    ///
    /// Runs on the thread that dispatches, one thread at a time.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - recorder: Where to write them; kept open by this listener.
    ///   - onFailure: Takes what the recorder throws; the event that it was about may then not be in the recording.
    /// - Returns: The handle that ends it.
    @discardableResult
    public func record<E: Event & Codable>(
        _ type: E.Type,
        to recorder: EventRecorder,
        onFailure: @escaping @Sendable (RecordingError) -> Void
    ) -> Subscription {
        listen(to: type) { event, context in
            do throws(RecordingError) {
                try recorder.record(event, priority: context.priority, dispatchedAt: context.dispatchTime)
            } catch {
                onFailure(error)
            }
        }
    }
}

extension EventReplayer {
    /// Dispatches the events of a type on a bus, queued with the priority that they were recorded with.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - name: Its name in the recording; nil for its default name.
    ///   - bus: The bus.
    public mutating func on<E: Event & Codable>(_ type: E.Type, named name: String? = nil, dispatchOn bus: EventBus) {
        on(type, named: name) { event, priority, _ in bus.queue(event, priority: priority) }
    }
}
