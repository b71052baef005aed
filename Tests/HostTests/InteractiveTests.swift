import Foundation
import Testing

extension HostTests {
    @Suite struct InteractiveTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        @Test func showsAMatchWhileTheInputIsStillOpen() throws {
            let input = Pipe()
            let output = Pipe()
            let run = try weir.start(
                ["run", "shake", "--quiet-period", "0"],
                input: .pipe(input),
                output: output.fileHandleForWriting
            )
            try output.fileHandleForWriting.close()
            var arrivals = Arrivals(output)
            try input.fileHandleForWriting.write(contentsOf: Data(jerk.utf8))
            let matchArrived = arrivals.wait(for: jerkMatch)
            #expect(matchArrived)
            // Half a line is not read before its end arrives.
            try input.fileHandleForWriting.write(contentsOf: Data("40,0,0,".utf8))
            try input.fileHandleForWriting.write(contentsOf: Data("1\n".utf8))
            let nextArrived = arrivals.wait(for: #""current":{"time":40,"x":0.0,"y":0.0,"z":1.0}}"#)
            #expect(nextArrived)
            #expect(run.process.isRunning)
            try input.fileHandleForWriting.close()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors.hasPrefix("weir: 3 events read, 0 rejected, 2 matches in "))
        }

        @Test func theFirstInterruptEndsTheRunInOrder() throws {
            let input = Pipe()
            let output = Pipe()
            let run = try weir.start(["run", "shake"], input: .pipe(input), output: output.fileHandleForWriting)
            try output.fileHandleForWriting.close()
            var arrivals = Arrivals(output)
            // The half line at the end is dropped: nobody knows how it goes on.
            try input.fileHandleForWriting.write(contentsOf: Data((jerk + "40,0,0").utf8))
            let matchArrived = arrivals.wait(for: jerkMatch)
            #expect(matchArrived)
            run.process.interrupt()
            let outcome = try run.outcome()
            #expect(outcome.exitCode == 130)
            #expect(outcome.errors.hasPrefix("weir: interrupted; 2 events read, 0 rejected, 1 match in "))
            try input.fileHandleForWriting.close()
        }

        #if os(Linux)
            @Test func showsProgressOnATerminal() throws {
                let terminal = try Terminal()
                let input = Pipe()
                let run = try weir.start(["run", "shake"], input: .pipe(input), errors: terminal.side)
                var arrivals = Arrivals(terminal.screen)
                try feed(input) {
                    while arrivals.takeSome(milliseconds: 0) {}
                    return arrivals.text.contains(" events/s")
                }
                #expect(arrivals.text.hasPrefix("\r\u{1B}[Kweir: "))
                #expect(!arrivals.text.contains("\n"))
                try input.fileHandleForWriting.close()
                #expect(try run.outcome().exitCode == 0)
                let summaryArrived = arrivals.wait(for: "\n")
                #expect(summaryArrived)
                let summary = try #require(arrivals.text.split(separator: "\r\u{1B}[K").last)
                #expect(summary.hasPrefix("weir: ") && summary.contains(" events read, 0 rejected, 0 matches in "))
            }
        #endif

        @Test func showsNoProgressElsewhere() throws {
            let input = Pipe()
            let run = try weir.start(["run", "shake"], input: .pipe(input))
            // Longer than the time after which a terminal would have shown it.
            let end = Date(timeIntervalSinceNow: 0.5)
            try feed(input) { Date() > end }
            try input.fileHandleForWriting.close()
            let outcome = try run.outcome()
            #expect(!outcome.errors.contains("\u{1B}"))
            #expect(outcome.errorLines.count == 1)
        }

        /// Writes readings of a still device until something has happened.
        private func feed(_ input: Pipe, until isDone: () -> Bool) throws {
            try input.fileHandleForWriting.write(contentsOf: Data("time,x,y,z\n".utf8))
            let limit = Date(timeIntervalSinceNow: WeirProcess.patience)
            var time = 0
            while !isDone() {
                try #require(Date() < limit)
                let rows = (0..<100).map { "\(time + $0),0,0,1\n" }.joined()
                time += 100
                try input.fileHandleForWriting.write(contentsOf: Data(rows.utf8))
            }
        }
    }
}
