internal import WeirEQL
internal import WeirFiles
internal import WeirFormats
internal import WeirFraud
internal import WeirNATS
internal import WeirRecording
internal import WeirRecords
internal import WeirSentiment
internal import WeirShake
internal import WeirSockets
internal import WeirSystem
internal import WeirWalk

extension Registry {
    /// Everything that the program is built with: the one place that names it.
    ///
    /// - Returns: The registry.
    /// - Throws: ``HostError`` when two entries have the same name.
    static func builtIn(interruption: Interruption?) throws(HostError) -> Registry {
        var registry = Registry()
        let inherited = InheritedSockets(
            environment: ProgramEnvironment.value(of:),
            process: ProgramEnvironment.processNumber
        )
        do throws(RegistryError) {
            try registry.register(LabelledPlugin(ShakePlugin()))
            try registry.register(LabelledPlugin(SentimentPlugin()))
            try registry.register(LabelledPlugin(WalkPlugin()))
            try registry.register(LabelledPlugin(FraudPlugin()))
            try registry.register(EQL())
            try registry.register(CSVFormat())
            try registry.register(CSVFormat(.tabSeparated))
            try registry.register(JSONLinesFormat())
            try registry.register(JSONFormat())
            try registry.register(BinaryFormat())
            try registry.register(LogfmtFormat())
            try registry.register(AccessLogFormat(.common))
            try registry.register(AccessLogFormat(.combined))
            try registry.register(CEFFormat())
            try registry.register(LEEFFormat())
            try registry.register(SyslogFormat())
            try registry.register(FileTransport(interruption: interruption, handlesCompression: true))
            try registry.register(RecordingTransport(interruption: interruption))
            try registry.register(StandardInput(interruption: interruption, handlesCompression: true))
            try registry.register(StandardOutput())
            try registry.register(ExecTransport(interruption: interruption))
            try registry.register(UDPTransport(interruption: interruption, inherited: inherited))
            try registry.register(TCPTransport(interruption: interruption, inherited: inherited))
            try registry.register(HTTPTransport(interruption: interruption, inherited: inherited))
            try registry.register(NATSTransport(interruption: interruption))
            try registry.register(UnixTransport(interruption: interruption, inherited: inherited))
            try registry.register(UnixDatagramTransport(interruption: interruption, inherited: inherited))
            try registry.register(UnixPacketTransport(interruption: interruption, inherited: inherited))
        } catch {
            throw HostError(.internalError, "\(error)")
        }
        for plugin in registry.plugins { try registry.checkOptions(of: plugin, else: .internalError) }
        return registry
    }
}
