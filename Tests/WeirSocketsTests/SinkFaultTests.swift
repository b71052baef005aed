#if os(Linux)
    import CWeirFaults
    import Foundation
    import TestThreads
    import Testing
    import WeirCore
    import WeirFiles
    import WeirRecords

    @testable import WeirSockets

    /// Each system call of the sinks that send fails in turn, in each of its ways.
    ///
    /// The receivers use calls that never fail, so that the sink alone has bad luck. Each test runs in a process of its
    /// own, because the faults are the whole process's.
    @Suite(.serialized) struct SinkFaultTests {
        private static let passing = UInt32(
            CWEIR_FAULT_INTERRUPTED | CWEIR_FAULT_BLOCKED | CWEIR_FAULT_PARTIAL | CWEIR_FAULT_DISK_FULL
                | CWEIR_FAULT_FILE | CWEIR_FAULT_SHORTAGE
        )
        private static let breaking = UInt32(CWEIR_FAULT_BROKEN_SENDING)

        // Runs something again and again, until no call is left that could fail: `prepare` makes what is needed without
        // faults, the deed is done with one call that fails, and `check` looks at what came of it, and at the error.
        private static func failEachCall<State>(
            _ name: String,
            _ kinds: UInt32 = passing | breaking,
            atLeast leastFaults: Int = 15,
            prepare: () throws -> State,
            _ deed: (State) throws -> Void,
            check: (State, (any Error)?) throws -> Void
        ) throws {
            let descriptors = try openSockets()
            var faults = 0
            for choice in UInt64(0)..<8 {
                for nth in UInt64(0)... {
                    let state = try prepare()
                    var fault: (any Error)?
                    #expect(cweir_faults_begin_once(choice, kinds, nth))
                    do { try deed(state) } catch { fault = error }
                    let isOver = cweir_faults_end() == 0
                    do {
                        if isOver { try #require(fault == nil) }
                        if let error = fault as? TransportError {
                            try #require(!"\(error)".contains("\n"))
                        } else if let fault {
                            throw fault
                        }
                        try check(state, fault)
                    } catch {
                        Issue.record("\(name), choice \(choice), call \(nth): \(error)")
                    }
                    if isOver { break }
                    faults += 1
                }
            }
            print("WeirSockets, \(name): \(faults) calls failed in turn")
            #expect(faults > leastFaults)
            try eventually("all descriptors are closed") { try openSockets() <= descriptors }
        }

        /// How many descriptors are open that a sink may have: the system's libraries open others whenever they like.
        private static func openSockets() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                return ["socket:", "pipe:", "/tmp/weir-"].contains { target?.hasPrefix($0) ?? false }
            }
        }

        static let lines = (0..<6).map { "line \($0) " + String(repeating: "x", count: 100 * $0) }

        private static func write(_ lines: some Sequence<String>, to sink: any TransportSink) throws {
            for line in lines { try sink.write(line + "\n") }
        }

        @Test(arguments: ["udp", "tcp", "http", "unix", "unix-dgram", "unix-seqpacket"])
        func whatIsSentArrivesOnceAndInOrder(scheme: String) async {
            await #expect(processExitsWith: .success) { [scheme] in
                try Self.failEachCall(scheme) {
                    let receiver = try Receiver(scheme)
                    try receiver.open()
                    return receiver
                } _: { receiver in
                    let sink = try receiver.transport.openSink(receiver.address + receiver.options)
                    receiver.sink = sink
                    try Self.write(Self.lines[..<3], to: sink)
                    try eventually("the first half arrived") { receiver.lines.count == 3 }
                    try receiver.reopen()
                    try Self.write(Self.lines[3...], to: sink)
                    try sink.finish()
                } check: { receiver, fault in
                    receiver.close()
                    guard let metrics = receiver.sink?.meter?.metrics else {
                        // It could not be opened.
                        try #require(fault != nil && receiver.lines == [])
                        return
                    }
                    try #require(fault == nil || metrics[.refused] > 0)
                    try #require(receiver.lines == Self.lines)
                    try #require(metrics.isBalanced && metrics.sent == 6 && metrics.pending == 0, "\(metrics)")
                    // A port refuses in the name of another datagram; what arrived over a connection that breaks may not be
                    // acknowledged yet.
                    let refused = ["udp", "tcp"].contains(scheme) ? metrics[.refused] : 0
                    try #require(metrics.delivered + refused == 6 && (refused < 2 || scheme == "tcp"), "\(metrics)")
                }
            }
        }

        /// The receiver is not there at first, and an earlier program left something behind.
        @Test(arguments: ["udp", "tcp", "http", "unix", "unix-dgram", "unix-seqpacket"])
        func whatIsSpilledArrivesOnceAndInOrder(scheme: String) async {
            await #expect(processExitsWith: .success) { [scheme] in
                try Self.failEachCall(scheme + " with a spill") {
                    let receiver = try Receiver(scheme)
                    receiver.options += "&buffer=1&spill=\(receiver.folder("spill"))"
                    let earlier = try UnixTransport().openSink(
                        receiver.folder("nobody") + "?linger=0s&spill=\(receiver.folder("spill"))"
                    )
                    try Self.write(Self.lines[..<2], to: earlier)
                    #expect(throws: Never.self) { try earlier.finish() }
                    return receiver
                } _: { receiver in
                    let sink = try receiver.transport.openSink(receiver.address + receiver.options)
                    receiver.sink = sink
                    let outcome = Locked<Result<Void, any Error>?>(nil)
                    let lent = Lent(sink)
                    Thread {
                        let result = Result { try Self.write(Self.lines[2...], to: lent.value) }
                        outcome.withLock { $0 = result }
                    }.start()
                    // A writer waits for a disk that is full for the receiver.
                    try eventually("all was written") {
                        receiver.hearNotices()
                        return outcome.withLock { $0 != nil }
                            || receiver.notices.contains { $0.contains("takes no more") }
                    }
                    try receiver.open()
                    try eventually("all was written") { outcome.withLock { $0 != nil } }
                    try outcome.withLock { try $0?.get() }
                    try sink.finish()
                } check: { receiver, fault in
                    receiver.hearNotices()
                    let metrics = receiver.sink?.meter?.metrics
                    receiver.sink = nil
                    if !receiver.isOpen { try receiver.open() }
                    // What the next program finds is what did not arrive.
                    let next = try Self.eventuallyOpen {
                        try receiver.transport.openSink(receiver.address + receiver.options)
                    }
                    let found = next.meter?.metrics.sent ?? 0
                    try next.finish()
                    receiver.close()
                    guard let metrics else {
                        try #require(fault != nil && receiver.lines == Array(Self.lines[..<2]))
                        return
                    }
                    try #require((fault == nil || metrics[.refused] > 0) && found == 0)
                    try #require(metrics.isBalanced && metrics.sent == 6 && metrics.pending == 0, "\(metrics)")
                    let refused = ["udp", "tcp"].contains(scheme) ? metrics[.refused] : 0
                    try #require(metrics.delivered + refused + metrics[.damaged] == 6, "\(metrics)")
                    try #require(refused < 2 || scheme == "tcp", "\(metrics)")
                    if metrics[.damaged] == 0 {
                        try #require(receiver.lines == Self.lines)
                    } else {
                        // Nothing was lost that was not counted, and that was said.
                        let lines = receiver.lines
                        try #require(
                            lines.count == 6 - Int(metrics[.damaged]) && lines == Self.lines.filter(lines.contains)
                        )
                        try #require(receiver.notices.contains { $0.contains("cannot be read") }, "\(receiver.notices)")
                    }
                }
            }
        }

        /// Another try where the descriptor of the sink before is about to be closed.
        private static func eventuallyOpen(_ open: () throws -> any TransportSink) throws -> any TransportSink {
            var sink: (any TransportSink)?
            try eventually("the spill is free") {
                sink = try? open()
                return sink != nil
            }
            return try #require(sink)
        }

        /// A reader whose connection breaks comes back for what is sent from then on.
        @Test(arguments: ["unix", "unix-seqpacket"], [false, true])
        func readersThatConnectGetAllOnceAndInOrder(scheme: String, isBroken: Bool) async {
            await #expect(processExitsWith: .success) { [scheme, isBroken = isBroken as Bool] in
                try Self.failEachCall(
                    scheme + " that listens",
                    isBroken ? Self.breaking : Self.passing,
                    atLeast: isBroken ? 8 : 20
                ) {
                    let receiver = try Receiver(scheme)
                    receiver.options += "&listen=true"
                    return receiver
                } _: { receiver in
                    let sink = try receiver.transport.openSink(receiver.address + receiver.options)
                    receiver.sink = sink
                    try receiver.connect()
                    try eventually("the reader was accepted") { sink.meter?.metrics.openConnections == 1 }
                    for line in Self.lines {
                        try sink.write(line + "\n")
                        try eventually("it went off") { sink.meter?.metrics.pending == 0 }
                    }
                    try sink.finish()
                } check: { receiver, fault in
                    receiver.close()
                    let lines = receiver.lines
                    guard let metrics = receiver.sink?.meter?.metrics else {
                        try #require(fault != nil && lines == [])
                        return
                    }
                    let lost = isBroken ? 1 : 0
                    try #require(fault == nil && metrics.isBalanced, "\(metrics)")
                    try #require(metrics.delivered + metrics[.untaken] == 6 && metrics[.untaken] <= lost, "\(metrics)")
                    try #require(lines.count >= 6 - lost && lines == Self.lines.filter(lines.contains), "\(lines)")
                }
            }
        }
    }
#endif
