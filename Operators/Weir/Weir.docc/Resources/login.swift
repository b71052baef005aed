public import WeirCore

public struct Login: Event {
    public let timestamp: Timestamp
    public let address: String
    public let succeeds: Bool

    public init(at timestamp: Timestamp, from address: String, succeeds: Bool) {
        self.timestamp = timestamp
        self.address = address
        self.succeeds = succeeds
    }
}
