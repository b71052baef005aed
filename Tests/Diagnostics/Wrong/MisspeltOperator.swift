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
        // error: has no member 'fliter'
        .fliter { $0.humidity > 0 }
        .map { $0.celsius * 1.8 + 32 }
        .filter { $0 > 32 }
        .pairwise()
        .filter { before, after in after > before }
        .subscribe { print("rising", $0) }
}
