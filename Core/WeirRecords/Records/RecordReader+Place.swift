extension RecordReader {
    /// What another reader needs to go on behind the last batch.
    package struct Place {
        /// What stands before the first record, such as a header.
        package let prelude: [UInt8]

        /// What was read from the source and not decoded.
        package let unread: [UInt8]

        /// The number of the line that comes next.
        package let line: UInt64
    }
}
