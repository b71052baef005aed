import Observation
import WeirCore
import WeirSignals

nonisolated(unsafe) let position = MutableSignal(0)
nonisolated(unsafe) let speed = MutableSignal(0.0)
nonisolated(unsafe) let isOpen = MutableSignal(false)
nonisolated(unsafe) let pressure = MutableSignal(0.0)
nonisolated(unsafe) let limit = MutableSignal(0.0)
nonisolated(unsafe) let hasCredentials = MutableSignal(true)

struct Credentials: Sendable {}
enum LoginError: Error { case refused }
struct Server: Sendable { func login(_ credentials: Credentials) async throws(LoginError) {} }
final class Button { var isEnabled = true }
final class Dial {
    var angle = 0.0
    let bag = ObservationBag()
}
@Observable final class Model { var count = 0 }
let server = Server()
let credentials = Credentials()
nonisolated(unsafe) let loginButton = Button()
nonisolated(unsafe) let dial = Dial()
func show(_ error: any Error) {}

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
nonisolated(unsafe) let bag = ObservationBag()
