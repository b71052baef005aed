/// A transport whose sources can have several senders at a time.
package protocol SharedTransport: Transport {
    /// Whether lines of one sender may come in between those of another.
    ///
    /// - Parameter address: The part of the address after the colon.
    /// - Returns: Whether they may.
    func mixesSenders(_ address: String) -> Bool
}

/// A source that hands out messages, none of which goes on in what another run of the program reads.
package protocol MessageSource: TransportSource {
    /// Whether what was handed out ends with a whole message.
    var isBetweenMessages: Bool { get }

    /// Whether all senders begin with the same line, of which one is handed out.
    var sharesHeader: Bool { get }

    /// Has the line that all senders begin with be one that a run before has handed out; called before the first read.
    ///
    /// - Parameter header: The line, without its end.
    func goOn(behind header: [UInt8])
}
