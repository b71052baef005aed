internal import WeirCore
internal import WeirFiles
internal import WeirFormats

/// Outputs that several pipelines of one program write to, such as standard output: one opening, whole batches.
///
/// Thread safety: any thread.
final class SharedOutputs: Sendable {
    /// An output that is open.
    fileprivate final class Door: Sendable {
        private let sink: Locked<any TransportSink>

        init(_ sink: sending any TransportSink) {
            self.sink = Locked(sink)
        }

        func write(_ bytes: [UInt8]) throws(TransportError) {
            try sink.withLock { sink throws(TransportError) in try sink.write(bytes.span) }
        }
    }

    private let doors = Locked<[String: Door]>([:])

    /// Opens an output, or joins those who have it open.
    ///
    /// - Throws: ``HostError`` when it cannot be opened.
    func open(_ address: Address) throws(HostError) -> any TransportSink {
        guard address.transport.scheme == "stdout" else { return try address.openSink() }
        return SharedSink(
            try doors.withLock { doors throws(HostError) in
                if let door = doors[address.name] { return door }
                let door = try address.openDoor()
                doors[address.name] = door
                return door
            }
        )
    }
}

/// A pipeline's handle on a shared output.
private final class SharedSink: TransportSink {
    private let door: SharedOutputs.Door

    init(_ door: SharedOutputs.Door) {
        self.door = door
    }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        try door.write(copy)
    }
}

extension Address {
    /// Opens a sink.
    ///
    /// - Parameter forLines: Whether lines are written, which go into frames where the address says so; otherwise what is
    ///   written is in frames then.
    /// - Returns: The sink.
    /// - Throws: ``HostError`` when it cannot be opened.
    func openSink(forLines: Bool = true) throws(HostError) -> any TransportSink {
        do throws(TransportError) {
            let sink = try transport.openSink(place)
            return forLines && framing == Framing.length.rawValue ? LengthFramedSink(sink) : sink
        } catch {
            throw HostError(error, opening: .cannotCreate)
        }
    }

    fileprivate func openDoor() throws(HostError) -> SharedOutputs.Door {
        do throws(TransportError) {
            return SharedOutputs.Door(try transport.openSink(place))
        } catch .interrupted(let place) {
            throw HostError(.interrupted, "\(TransportError.interrupted(address: place))")
        } catch {
            throw HostError(error, opening: .cannotCreate)
        }
    }
}

/// The outputs of one pipeline: each gets every match.
final class Outlets {
    private var sinks: [any TransportSink] = []
    private var styler: MatchStyler

    /// The fields of matches that the table has no column for.
    var leftOutFields: [String] { styler.leftOut.sorted() }

    /// Opens the outputs.
    ///
    /// - Throws: ``HostError`` when one cannot be opened.
    init(_ request: RunRequest, _ shared: SharedOutputs?, _ meters: MeterBoard) throws(HostError) {
        let addresses = request.outputs
        let isTerminal = addresses.count == 1 && addresses[0].name == "stdout" && StandardStream.output.isTerminal
        styler = MatchStyler(request.style, isColoured: isTerminal && Colour.isWanted)
        for address in addresses {
            if let shared {
                sinks.append(try shared.open(address))
            } else {
                sinks.append(try address.openSink())
            }
            meters.add(sinks.last?.meter, name: addresses.count == 1 ? "output" : "output '\(address.name)'")
        }
    }

    /// Writes lines to all outputs.
    ///
    /// - Throws: ``TransportError/closed(address:)`` when nobody reads any of them any more; an output that fails in
    ///   another way ends it for all.
    func write(_ lines: Span<UInt8>) throws(TransportError) {
        guard !styler.isPlain else { return try writeAll(lines) }
        var copy: [UInt8] = []
        copy.reserveCapacity(lines.count)
        for index in lines.indices { copy.append(lines[index]) }
        try writeAll(styler.write(copy).span)
    }

    private func writeAll(_ lines: Span<UInt8>) throws(TransportError) {
        var closed: TransportError?
        for index in sinks.indices.reversed() {
            do throws(TransportError) {
                try sinks[index].write(lines)
            } catch .closed(let address) {
                closed = .closed(address: address)
                sinks.remove(at: index)
            }
        }
        if sinks.isEmpty, let closed { throw closed }
    }

    /// Delivers what the outputs still keep.
    func finish() throws(TransportError) {
        for sink in sinks { try sink.finish() }
    }
}
