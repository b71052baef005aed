public import WeirCore
public import WeirRecording

/// Plays a recording: hands each event to the handler for its type, in the order of recording.
///
///     var replayer = EventReplayer(speed: .times(10))
///     replayer.on(Reading.self) { reading, priority, dispatchTime in show(reading) }
///     let report = try replayer.replay(path: "readings.recording", on: SystemReplayClock())
///
/// Event *i* is due at *start* + (*t*ᵢ − *t*₀) / *k* for its dispatch time *t*ᵢ and the speed *k*. Waiting always is for
/// such a time and never for a distance, so delays do not add up. An event that was dispatched before its predecessor,
/// by another thread, follows it at once. The same recording gives the same events in the same order each time, and on
/// a ``VirtualReplayClock`` also at the same times.
///
/// Handlers run on the thread that calls `replay`.
public struct EventReplayer {
    /// How fast to play.
    public let speed: ReplaySpeed

    private var handlers: [String: [(RecordedEvent) throws -> Void]] = [:]
    private var observers: [(RecordedEvent) -> Void] = []

    /// Creates a replayer without handlers.
    ///
    /// - Parameter speed: How fast to play; a number of times must be finite and positive.
    public init(speed: ReplaySpeed = .realTime) {
        if case .times(let times) = speed {
            precondition(times.isFinite && times > 0, "a recording cannot be played \(times) times as fast")
        }
        self.speed = speed
    }

    /// Passes the events of a type to a handler; several handlers are called in the order in which they were added.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - name: Its name in the recording; nil for its default name.
    ///   - handler: Gets the event, its priority and when it was dispatched.
    public mutating func on<E: Event & Codable>(
        _ type: E.Type,
        named name: String? = nil,
        perform handler: @escaping (_ event: E, _ priority: Priority, _ dispatchTime: Timestamp) -> Void
    ) {
        handlers[name ?? String(reflecting: type), default: []].append { recorded in
            handler(try recorded.decode(type), recorded.priority, recorded.dispatchTime)
        }
    }

    /// Publishes the events of a type into a channel; the channel is not finished at the end.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - name: Its name in the recording; nil for its default name.
    ///   - channel: The channel.
    public mutating func on<E: Event & Codable>(
        _ type: E.Type,
        named name: String? = nil,
        publishTo channel: EventChannel<E>
    ) {
        on(type, named: name) { event, _, _ in channel.publish(event) }
    }

    /// Shows every event to an observer, before its handlers, whether it has some or not.
    ///
    /// - Parameter observer: Gets the event as it is in the recording.
    public mutating func onEach(perform observer: @escaping (RecordedEvent) -> Void) {
        observers.append(observer)
    }

    /// Plays a recording from its beginning to its end.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - clock: What to take the time from; not used by `ReplaySpeed/unpaced` but for its beginning.
    /// - Returns: What became of the events.
    /// - Throws: `RecordingError`; the events before the fault were handed on.
    public func replay(path: String, on clock: some ReplayClock) throws(RecordingError) -> ReplayReport {
        var reader = try RecordingReader(path: path)
        return try replay(&reader, on: clock)
    }

    /// Plays what is left of a recording.
    ///
    /// - Parameters:
    ///   - reader: The recording.
    ///   - clock: What to take the time from; not used by `ReplaySpeed/unpaced` but for its beginning.
    /// - Returns: What became of the events.
    /// - Throws: `RecordingError`; the events before the fault were handed on.
    public func replay(
        _ reader: inout RecordingReader,
        on clock: some ReplayClock
    ) throws(RecordingError) -> ReplayReport {
        var report = ReplayReport()
        var schedule: ReplaySchedule?
        while let event = try reader.next() {
            if schedule == nil {
                schedule = ReplaySchedule(speed, first: event.dispatchTime, start: clock.begin(at: event.dispatchTime))
            } else if let due = schedule?.due(event.dispatchTime) {
                clock.wait(until: due)
            }
            deliver(event, &report)
        }
        report.cutBytes = reader.cutBytes
        return report
    }

    private func deliver(_ event: RecordedEvent, _ report: inout ReplayReport) {
        for observer in observers { observer(event) }
        guard let handlers = handlers[event.typeName] else {
            report.unknown[event.typeName, default: 0] += 1
            return
        }
        do {
            for handler in handlers { try handler(event) }
            report.delivered[event.typeName, default: 0] += 1
        } catch {
            report.undecodable[event.typeName, default: 0] += 1
            report.firstDecodingFailure = report.firstDecodingFailure ?? "\(error)"
        }
    }
}
