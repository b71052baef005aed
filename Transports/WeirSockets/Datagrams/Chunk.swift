/// Memory for the messages of many datagrams, on their way from the thread that receives to the one that reads.
///
/// Safety of `@unchecked Sendable`: a chunk is held by one thread at a time, and the queue's lock orders the hand-over.
@safe
final class Chunk: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    var count = 0
    var messages: UInt64 = 0

    init(capacity: Int) {
        unsafe memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        unsafe memory.deallocate()
    }

    func clear() {
        count = 0
        messages = 0
    }
}
