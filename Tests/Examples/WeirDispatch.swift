import WeirCore
import WeirDispatch

struct Temperature: Event {
    var timestamp = Timestamp.epoch
    var celsius = 0.0
}

// As SwiftUI declares them.
@MainActor protocol View {
    associatedtype Body: View
    var body: Body { get }
}
struct Text: View {
    nonisolated init(_ text: String) {}
    var body: Never { fatalError() }
}
extension Never: View { var body: Never { fatalError() } }

let logger = EventProcessor(name: "logger")
let event = Reading()
func show(_ reading: Reading) {}
func handle(_ reading: Reading) {}
func handle(_ next: (element: Int, priority: Priority, order: DispatchOrder)) {}
// It is not run, so it needs no value.
nonisolated(unsafe) let mailbox: Mailbox<Int> = { fatalError() }()
func book(_ order: Order) {}
