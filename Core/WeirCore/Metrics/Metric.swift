/// One number of a snapshot, in the form that backends for metrics know.
///
/// Nothing here runs by itself: poll what is of interest, and hand it on.
///
///     let snapshot = readings.metrics.samples(["channel": "readings"])
///     for metric in snapshot { print(metric.name, metric.labels, metric.value) }
///     // weir_channel_published_total ["channel": "readings"] 12.0
///     // ...
@frozen
public struct Metric: Sendable, Hashable {
    /// What a number means.
    @frozen
    public enum Kind: String, Sendable, Hashable {
        /// A count since the beginning, which only grows.
        case counter
        /// What is so now.
        case gauge
    }

    /// What is counted or measured, such as `weir_channel_published_total`; with its unit where it has one.
    public var name: String

    /// Whether the number only grows.
    public var kind: Kind

    /// The number.
    public var value: Double

    /// What tells numbers of the same name apart, by name.
    public var labels: [String: String]

    /// Creates a metric.
    ///
    /// - Parameters:
    ///   - name: What is counted or measured.
    ///   - kind: Whether the number only grows.
    ///   - value: The number.
    ///   - labels: What tells numbers of the same name apart.
    public init(_ name: String, _ kind: Kind, _ value: Double, labels: [String: String] = [:]) {
        self.name = name
        self.kind = kind
        self.value = value
        self.labels = labels
    }
}

/// A snapshot that consists of numbers: what the `metrics` of channels, processors, pools and transports are.
public protocol MetricSnapshot: Sendable {
    /// The numbers, each with its name.
    ///
    /// - Parameter labels: What all of them get, such as the name of the channel.
    /// - Returns: The numbers, always the same ones in the same order.
    func samples(_ labels: [String: String]) -> [Metric]
}

/// Collects the numbers of a snapshot.
package struct MetricList {
    package private(set) var metrics: [Metric] = []

    private let prefix: String
    private let labels: [String: String]

    package init(_ prefix: String, _ labels: [String: String]) {
        self.prefix = prefix
        self.labels = labels
    }

    package mutating func counter(_ name: String, _ value: UInt64) {
        metrics.append(Metric("\(prefix)_\(name)_total", .counter, Double(value), labels: labels))
    }

    package mutating func counter(_ name: String, cause: String, _ value: UInt64) {
        let labels = labels.merging(["cause": cause]) { $1 }
        metrics.append(Metric("\(prefix)_\(name)_total", .counter, Double(value), labels: labels))
    }

    package mutating func gauge(_ name: String, _ value: Double) {
        metrics.append(Metric("\(prefix)_\(name)", .gauge, value, labels: labels))
    }
}
