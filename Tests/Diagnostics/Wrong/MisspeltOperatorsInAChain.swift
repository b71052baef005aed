import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func operators1(_ readings: EventChannel<Reading>) {
    readings
        // error: has no dynamic member 'fliter'
        .fliter { $0.isValid }
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        .drop { $0.sensor.isEmpty }
        .map { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .map { $0.1 }
        .scan(into: 0.0) { sum, fahrenheit in sum += fahrenheit }
        .pairwise()
        .filter { before, after in after > before }
        .subscribe { print("rising", $0) }
}

func operators2(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        .drop { $0.sensor.isEmpty }
        // error: has no dynamic member 'mpa'
        .mpa { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .map { $0.1 }
        .scan(into: 0.0) { sum, fahrenheit in sum += fahrenheit }
        .pairwise()
        .filter { before, after in after > before }
        .subscribe { print("rising", $0) }
}
