import CWeir
import TestThreads
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct CStackTests {
    enum Step: Sendable, CaseIterable {
        case push, pop, popOldest
    }

    @Test(arguments: [1, 2, 4])
    func agreesWithAnArrayOnEveryShortHistory(capacity: Int) {
        TestThreads.everySequence(of: Step.allCases, length: 8) { history in
            guard let stack = unsafe cweir_stack_create(capacity, 8) else {
                Issue.record("no stack")
                return
            }
            var model: [Int] = []
            var agrees = true
            for (number, step) in history.enumerated() where agrees {
                switch step {
                case .push:
                    let slot = unsafe cweir_stack_claim(stack)
                    agrees = unsafe (slot != nil) == (model.count < capacity)
                    guard let slot = unsafe slot else { continue }
                    unsafe slot.storeBytes(of: number, as: Int.self)
                    unsafe cweir_stack_publish(stack)
                    model.append(number)
                case .pop:
                    let slot = unsafe cweir_stack_take(stack)
                    agrees = unsafe slot?.load(as: Int.self) == model.popLast()
                    if unsafe slot != nil { unsafe cweir_stack_remove(stack) }
                case .popOldest:
                    let slot = unsafe cweir_stack_take_oldest(stack)
                    agrees = unsafe slot?.load(as: Int.self) == model.first
                    if unsafe slot != nil {
                        unsafe cweir_stack_remove_oldest(stack)
                        model.removeFirst()
                    }
                }
                agrees = unsafe agrees && cweir_stack_count(stack) == model.count
            }
            if !agrees { Issue.record("differs from the array: \(history)") }
            unsafe cweir_stack_destroy(stack)
        }
    }

    @Test(arguments: [0, 3, 1000])
    func refusesBadCapacities(capacity: Int) {
        let stack = unsafe cweir_stack_create(capacity, 8)
        let code = errno
        unsafe #expect(stack == nil)
        #expect(code == EINVAL)
    }

    @Test func refusesMoreThanTheAddressSpace() {
        let stack = unsafe cweir_stack_create(1 << 30, 1 << 40)
        let code = errno
        unsafe #expect(stack == nil)
        #expect(code == ENOMEM)
        cweir_stack_destroy(nil)
    }
}
