import WeirCore

let recorded = EventChannel<Reading>()
struct Database: Sendable { func station(of reading: Reading) async throws -> String { "" } }
let database = Database()
