internal import CWeir
internal import WeirFiles

/// A copy of this process that works on what was in memory at one moment, while this process goes on.
///
/// The system (`fork`) shares the pages of both until one of the two writes to one, so that making a copy takes some
/// milliseconds per hundred megabytes. A copy has one thread: what waits there for another one, or for a lock that another
/// one held at that moment, waits for good. ``wait()`` ends such a copy.
///
/// Linux only: elsewhere the frameworks of the system do not allow it.
///
/// Thread safety: one thread makes it, and stays until another one, or itself, has waited for it. The copy ends with the
/// thread that made it.
package struct ProcessCopy: Sendable {
    /// What became of a copy.
    package enum Outcome: Sendable, Equatable {
        /// What it reports.
        case report([UInt8])
        /// It ended before, or had to be ended: in which way, as the end of a sentence about it.
        case lost(String)
    }

    /// What a copy says to the process that made it.
    private enum Message {
        static let computed: UInt8 = 1
        static let report: UInt8 = 2
    }

    private let process: Int64
    private let pipe: Int32

    private init(_ process: Int64, _ pipe: Int32) {
        self.process = process
        self.pipe = pipe
    }

    /// Makes a copy.
    ///
    /// - Parameters:
    ///   - descriptor: What the copy keeps open beside the standard streams; `nil` for nothing.
    ///   - body: What the copy does. It starts no thread. What it is given is to be called when it has computed what it
    ///     writes, and may wait for a disk from then on. It returns its report, of up to a few hundred bytes.
    /// - Returns: `nil` where the system makes no copy.
    package static func start(
        keeping descriptor: Int32?,
        _ body: (_ noteComputed: () -> Void) -> [UInt8]
    ) -> ProcessCopy? {
        var end: Int32 = -1
        let process = unsafe cweir_process_copy(descriptor ?? -1, &end)
        guard process != 0 else {
            let report = body { send([Message.computed], to: end) }
            send([Message.report] + report, to: end)
            cweir_process_leave()
        }
        return process > 0 ? ProcessCopy(process, end) : nil
    }

    /// Waits until the copy has ended, and ends it where it waits for good.
    ///
    /// To be called once.
    ///
    /// - Parameters:
    ///   - patience: For how long it may compute without using the processor, in tenths of a second.
    ///   - noteSilence: Called each time that it has said nothing for a tenth of a second.
    /// - Returns: What became of it.
    package func wait(patience: Int = 50, _ noteSilence: () -> Void = {}) -> Outcome {
        var received: [UInt8] = []
        var idlePolls = 0
        var used = cweir_process_time(process)
        var isStuck = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            SystemCalls.lastError = 0
            guard SystemCalls.wait(for: pipe, milliseconds: 100) else {
                guard SystemCalls.lastError == 0 else { continue }
                noteSilence()
                let now = cweir_process_time(process)
                idlePolls = now == used && received.isEmpty ? idlePolls + 1 : 0
                used = now
                isStuck = idlePolls >= patience
                if isStuck { break }
                continue
            }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe SystemCalls.readBytes(pipe, into: $0) }
            if count > 0 {
                received += buffer[..<count]
            } else if count == 0 || SystemCalls.lastError != SystemCalls.interruptedCall {
                break
            }
        }
        SystemCalls.closeDescriptor(pipe)
        let status = cweir_process_wait(process, isStuck)
        if isStuck { return .lost("waited for a lock of another thread") }
        // Where the program ignores the ends of its children, the system does not tell how this one ended.
        let isWhole = status == 0 || status < 0
        guard isWhole, let start = received.firstIndex(of: Message.report) else {
            return .lost(status > 256 ? "was ended by signal \(status - 256)" : "ended with \(status)")
        }
        return .report(Array(received[(start + 1)...]))
    }

    private static func send(_ bytes: [UInt8], to pipe: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe SystemCalls.writeBytes(pipe, $0) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if SystemCalls.lastError != SystemCalls.interruptedCall {
                return
            }
        }
    }
}
