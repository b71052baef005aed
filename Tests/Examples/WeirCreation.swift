import WeirCore

enum SensorError: Error { case unplugged }
enum Mode: Sendable { case idle, running }
typealias Line = Alarm
typealias Total = Int
let alarm = Alarm()
nonisolated(unsafe) let notifications = AsyncStream<Reading> { _ in }
func readLines() -> [Reading] { [] }
