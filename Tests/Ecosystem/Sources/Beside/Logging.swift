import Logging
import Weir

/// Logs what a stream finds.
func logAlarms(_ readings: some EventStream<Reading>, to logger: Logger) -> Subscription {
    readings
        .filter { $0.celsius > 90 }
        .subscribe { reading in
            logger.warning(
                "too hot",
                metadata: [
                    "sensor": "\(reading.sensor)",
                    "celsius": "\(reading.celsius)",
                    "at": "\(reading.timestamp)",
                ]
            )
        }
}
