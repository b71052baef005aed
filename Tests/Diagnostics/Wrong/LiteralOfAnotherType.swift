import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func sixTerms(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.humidity >= 0 && $0.isValid }
        // error: 'String'
        .filter { $0.celsius > "30" }
        .filter { $0.celsius < 125 }
        .subscribe { print($0.celsius) }
}
