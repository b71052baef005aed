import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func fourOperators(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no member 'celsuis'
        .map { $0.celsuis * 1.8 }
        .filter { $0 > 32 }
        .subscribe { print("rising", $0) }
}
