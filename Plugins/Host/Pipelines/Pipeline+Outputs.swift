internal import WeirCore
internal import WeirRecords

// When a pipeline opens its outputs, and what it writes to them.
extension Pipeline {
    /// Empties the files that are written, now that the inputs can be read: until then, what an earlier run wrote there is
    /// still of use.
    func beginOutputs() throws(OutputError) {
        guard !outlets.hasBegun else { return }
        try beginKeptLines()
        do throws(TransportError) {
            try outlets.begin()
        } catch {
            throw .matches(error)
        }
    }

    func beginKeptLines() throws(OutputError) {
        do throws(TransportError) {
            try rejections.begin()
        } catch {
            throw .rejections(error)
        }
    }

    /// Opens the files that keep lines of the input.
    static func openKeptLines(
        _ request: RunRequest,
        _ context: Context,
        _ meters: TransportMeters
    ) throws(HostError) -> RejectionReport {
        let rejected = try request.rejected.map { address throws(HostError) in
            try RejectionReport.File(address, context, meters, name: "rejected lines")
        }
        let late = try request.late.map { address throws(HostError) in
            try RejectionReport.File(address, context, meters, name: "late lines")
        }
        return RejectionReport(
            context.console,
            pipeline: request.name,
            keepingLinesIn: rejected,
            late: late,
            outputs: context.outputs
        )
    }

    /// The same at the end of inputs without a record.
    ///
    /// - Returns: What went wrong, if anything did.
    func begin() -> Ending? {
        do throws(OutputError) {
            try beginOutputs()
            return nil
        } catch {
            return Ending(error)
        }
    }

    func writeMatches() throws(OutputError) {
        do throws(TransportError) {
            try plugins.takeMatches { [outlets, progress] matches throws(TransportError) in
                progress.erase()
                try outlets.write(matches)
            }
        } catch {
            throw .matches(error)
        }
    }

    /// Writes what is left at the end.
    ///
    /// - Returns: What went wrong, if anything did.
    func writeRest() -> Ending? {
        do throws(OutputError) {
            try writeMatches()
            do throws(TransportError) {
                try rejections.finish(meters)
            } catch {
                throw .rejections(error)
            }
            return nil
        } catch {
            return Ending(error)
        }
    }

    /// Delivers what the outputs still keep.
    ///
    /// - Returns: What went wrong, if anything did.
    func finishOutlets() -> Ending? {
        do throws(TransportError) {
            try outlets.finish()
            return nil
        } catch {
            return Ending(.matches(error))
        }
    }
}

extension Pipeline.Ending {
    /// The end that a failed output brings.
    init(_ error: Pipeline.OutputError) {
        switch error {
        case .matches(.closed): self = .outputClosed
        case .matches(let error), .rejections(let error): self = .failed(HostError(.outputFailed, "\(error)"))
        }
    }
}
