/// A stream that can be part of the pipeline of a group, because each group can have a copy of it.
///
/// `grouped(by:)` attaches its pipeline once and copies the sinks for each group, so all state has to be in the sinks'
/// stored properties. State in an object would be shared by the groups: what joins, shares, retries or groups streams,
/// moves them to another thread, or finds patterns in them, is not groupable.
///
/// An operator that keeps its state in its sink is groupable when its upstream is:
///
///     extension Doubled: GroupableStream where Upstream: GroupableStream {}
///
/// A function that builds a part of such a pipeline says so in its signature:
///
///     func jumps(of readings: some GroupableStream<Reading>) -> some GroupableStream<Double> {
///         readings.pairwise().map { $1.celsius - $0.celsius }.filter { $0 > 5 }
///     }
public protocol GroupableStream<Element>: EventStream {}
