import Weir
import WeirFoundation

struct Reading: Event, Codable, Equatable {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
}
