import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func threeOperators(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no dynamic member 'fliter'
        .fliter { $0.humidity > 0 }
        .map { $0.celsius }
        .subscribe { print("rising", $0) }
}
