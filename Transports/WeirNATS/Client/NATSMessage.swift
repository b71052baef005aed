/// A message on its own.
package struct NATSMessage: Sendable, Hashable {
    package let subject: String

    /// Where an answer goes.
    package let reply: String?
    package let headers: NATSHeaders?
    package let payload: [UInt8]
}
