import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func twentyOperators(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        .filter { $0.humidity >= 0 && $0.humidity <= 100 }
        .drop { $0.sensor.isEmpty }
        .changes { $0.celsius }
        .changes { before, after in after.celsius - before.celsius > 0.5 }
        .take(1000)
        .drop(3)
        .filter { $0.celsius * 1.8 + 32 > 14 }
        .filter { $0.humidity > 10 }
        .filter { $0.humidity < 90 }
        .map { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .filter { sensor, fahrenheit in sensor != "cellar" && fahrenheit < 212 }
        .map { $0.1 }
        .filter { $0 > 50 }
        .pairwise()
        .filter { before, after in after > before }
        .map { before, after in after - before }
        .filter { $0 < 20 }
        .subscribe { print("rising by", $0) }
}
