import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func conditionsBehindMaps(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .compactMap { $0.humidity > 10 ? $0 : nil }
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        .map { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .map { $0.1 }
        .filter { $0 > 50 }
        .pairwise()
        .filter { before, after in after > before }
        .subscribe { before, after in print("from", before, "to", after) }
}
