import Testing
import WeirCore
import WeirPatterns
import WeirTesting

@testable import Logins

struct GuessingTests {
    let logins = EventChannel<Login>()

    func publish(_ second: Int, _ address: String, succeeds: Bool) {
        logins.publish(Login(at: .epoch + .seconds(second), from: address, succeeds: succeeds))
    }

    @Test func findsASuccessAfterThreeFailures() {
        let found = Recorder(logins.matches(of: guessing))
        publish(0, "10.0.0.1", succeeds: false)
        publish(5, "10.0.0.1", succeeds: false)
        publish(9, "10.0.0.1", succeeds: false)
        publish(12, "10.0.0.1", succeeds: true)
        #expect(found.elements.map { failures, success in success.address } == ["10.0.0.1"])
    }
}
