import Testing
import WeirCore

@testable import WeirGraphs

/// One switch in many graphs, as a service has it that starts a graph for each request.
@Suite struct KillSwitchTests {
    @Test func aSwitchLetsGoOfFlowsThatAreOver() throws {
        let killSwitch = KillSwitch()
        let sink = GraphSink<Int, GraphResult<[Int]>>.collect(limit: 3)
        for _ in 0..<10 {
            #expect(try Source<Int, Void>.empty().via(.killSwitch(killSwitch)).to(sink).run().wait().isEmpty)
            let failing = Source<Int, Void>.failing(Trouble()).via(.killSwitch(killSwitch)).to(sink)
            #expect(throws: Trouble()) { try failing.run().wait() }
            // There is no demand for the source's elements.
            let cancelled = Source<Int, Void>.never().via(.killSwitch(killSwitch)).via(.take(0)).to(sink)
            #expect(try cancelled.run().wait().isEmpty)
        }
        #expect(killSwitch.openCount == 0)
        let waiting = Source<Int, Void>.never().via(.killSwitch(killSwitch)).to(sink).run()
        #expect(killSwitch.openCount == 1)
        killSwitch.finish()
        #expect(try waiting.wait().isEmpty)
        // One that comes later ends at once.
        #expect(try Source<Int, Void>.never().via(.killSwitch(killSwitch)).to(sink).run().wait().isEmpty)
        #expect(killSwitch.openCount == 0)
    }
}
