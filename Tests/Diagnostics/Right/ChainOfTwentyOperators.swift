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
        .drop { $0.sensor.isEmpty }
        .changes { $0.celsius }
        .drop(2)
        .compactMap { $0.humidity > 0 ? $0 : nil }
        .take(1_000_000)
        .map { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .filter { sensor, fahrenheit in sensor != "attic" || fahrenheit < 100 }
        .map { $0.1 }
        .scan(into: 0.0) { sum, fahrenheit in sum = sum * 0.9 + fahrenheit * 0.1 }
        .filter { $0 > 50 }
        .map { ($0 - 32) / 1.8 }
        .pairwise()
        .filter { before, after in after > before }
        .map { before, after in after - before }
        .filter { $0 > 0.25 }
        .take(10)
        .subscribe { print("rising by", $0) }
}
