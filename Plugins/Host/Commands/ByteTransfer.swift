internal import WeirCore
internal import WeirRecords

/// Copies the bytes of a source to a sink, for `weir record` and `weir replay`.
struct ByteTransfer {
    /// How many bytes were handed on.
    private(set) var count: UInt64 = 0

    /// Why it ended before the source did, if so.
    private(set) var fault: TransportError?

    /// Copies everything; what came before an interruption or damage is delivered.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - sink: Where they go; finished at the end.
    ///   - console: Where to tell what the transports noticed and counted.
    init(from source: any TransportSource, to sink: any TransportSink, console: Console) {
        let meters = TransportMeters { console.writeLine($0) }
        meters.add(source.meter, name: "input")
        meters.add(sink.meter, name: "output")
        do throws(TransportError) {
            try ByteCopy.run(from: source) { bytes throws(TransportError) in
                try sink.write(bytes)
                count += UInt64(bytes.count)
                (source as? any AcknowledgingSource)?.acknowledge(Int64(count))
            }
        } catch {
            fault = error
        }
        do throws(TransportError) {
            // Where nothing could be read, what is in a file already stays.
            if fault == nil || count > 0 { try sink.finish() }
        } catch {
            fault = fault ?? error
        }
        for (name, metrics) in meters.metrics { console.writeLine("\(name): \(metrics)") }
    }

    /// Says how it went.
    ///
    /// - Parameters:
    ///   - deed: What was done with the bytes.
    ///   - console: Where to say so.
    /// - Returns: How the program ends.
    /// - Throws: ``HostError`` when reading or writing broke off.
    func conclude(_ deed: String, _ console: Console) throws(HostError) -> ExitCode {
        let summary = "\(Quantity.counted(count, "byte", "bytes")) \(deed)"
        switch fault {
        case nil:
            console.writeLine(summary + (count == 0 ? ": there was nothing in the input" : ""))
            return .done
        case .interrupted:
            console.writeLine("interrupted; \(summary)")
            return .interrupted
        case .closed: return .done
        case .writeFailed(let address, let reason):
            throw HostError(
                .outputFailed,
                "\(TransportError.writeFailed(address: address, reason: reason)); \(summary) before"
            )
        case let fault?: throw HostError(.noInput, "\(fault); \(summary) before")
        }
    }
}
