import CWeir
import TestThreads
import Testing

@Suite struct CClockTests {
    @Test func theQuickClockFollowsTheMonotonicOneAndNeverGoesBack() {
        // Together, so that they draw lines while others read them.
        let body: @Sendable () -> Void = {
            var last: Int64 = 0
            var (wentBack, wasOff) = (0, 0)
            for _ in 0..<200_000 {
                let before = cweir_clock_monotonic()
                let quick = cweir_clock_quick()
                let after = cweir_clock_monotonic()
                if quick < last { wentBack += 1 }
                if quick < before - 10_000 || quick > after + 10_000 { wasOff += 1 }
                last = quick
            }
            #expect(wentBack == 0)
            #expect(wasOff == 0)
        }
        TestThreads.run([body, body, body])
    }
}
