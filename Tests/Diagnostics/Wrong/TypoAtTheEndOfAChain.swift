import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func tenOperators(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        .drop { $0.sensor.isEmpty }
        .changes { $0.celsius }
        .filter { $0.humidity > 0 }
        .take(100)
        .drop(3)
        .filter { $0.humidity < 100 }
        .pairwise()
        // error: has no member 'celsuis'
        .filter { before, after in after.celsuis > before.celsius }
        .subscribe { print("rising", $0) }
}
