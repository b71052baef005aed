/// One input of a confluence: wraps each element into the type that the shared sink takes.
@frozen
public struct PortSink<Input: Sendable, Shared: Sink>: Sink {
    @usableFromInline let confluence: Confluence<Shared>
    @usableFromInline let input: Int
    @usableFromInline let wrap: @Sendable (Input) -> Shared.Input

    @inlinable
    init(_ confluence: Confluence<Shared>, _ input: Int, _ wrap: @escaping @Sendable (Input) -> Shared.Input) {
        self.confluence = confluence
        self.input = input
        self.wrap = wrap
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        confluence.receive(wrap(copy element), at: time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        confluence.advance(to: watermark, of: input)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        confluence.finish(completion, of: input)
    }
}
