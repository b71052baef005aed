public import WeirCore

extension Timestamp {
    @inlinable
    init(_ nanoseconds: Int64) {
        self.init(nanosecondsSinceEpoch: nanoseconds)
    }
}
