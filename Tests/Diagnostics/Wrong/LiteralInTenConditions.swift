import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func tenConditions(_ readings: EventChannel<Reading>) {
    readings
        .where { $0.celsius > 0 && $0.humidity < 100 }
        .where { $0.celsius > 1 && $0.humidity < 99 }
        .where { $0.celsius > 2 && $0.humidity < 98 }
        .where { $0.celsius > 3 && $0.humidity < 97 }
        .where { $0.celsius > 4 && $0.humidity < 96 }
        // error: 'String'
        .where { $0.celsius > "30" && $0.humidity < 95 }
        .where { $0.celsius > 6 && $0.humidity < 94 }
        .where { $0.celsius > 7 && $0.humidity < 93 }
        .where { $0.celsius > 8 && $0.humidity < 92 }
        .where { $0.celsius > 9 && $0.humidity < 91 }
        .subscribe { print($0) }
}
