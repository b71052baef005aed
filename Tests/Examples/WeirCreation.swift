import WeirCore

enum SensorError: Error { case unplugged }
enum Mode: Sendable { case idle, running }
typealias Line = Alarm
typealias Total = Int
let alarm = Alarm()
nonisolated(unsafe) let notifications = AsyncStream<Reading> { _ in }
func readLines() -> [Reading] { [] }
struct Server: Sendable { func reading() async throws -> Reading { Reading() } }
let server = Server()
final class Sensor: Sendable {
    func start(_ body: @escaping @Sendable (Reading) -> Void) {}
    func stop() {}
}
