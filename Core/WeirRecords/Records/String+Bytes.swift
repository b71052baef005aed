extension String {
    /// Calls a function with the UTF-8 bytes of the text.
    @inlinable
    package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        var text = self
        // The span is of memory that stays as it is during the call.
        return text.withUTF8 { body(unsafe $0.span) }
    }
}
