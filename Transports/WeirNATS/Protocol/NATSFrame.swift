/// One operation of a server; the ranges are of the parser's bytes until it takes more.
enum NATSFrame: Equatable {
    /// What the server says of itself, as JSON.
    case info(Range<Int>)
    case message(Message)
    case ping
    case pong
    case ok
    /// What went wrong, without the quotes around it.
    case error(Range<Int>)

    /// A message, with or without headers.
    struct Message: Equatable {
        var subject: Range<Int>
        var subscription: UInt64
        /// Where an answer goes.
        var reply: Range<Int>?
        /// With the line of the version and the blank one; empty where there are none.
        var headers: Range<Int>
        var payload: Range<Int>
    }
}
