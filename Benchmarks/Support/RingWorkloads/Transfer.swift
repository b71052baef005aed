internal import CBench

/// The loops on both sides of a queue, around what one attempt does, which is inlined into them.
enum Transfer {
    /// Tries until all numbers are in the queue.
    ///
    /// - Parameters:
    ///   - total: How many numbers.
    ///   - attempt: Gets the next number, and returns how many from there on it put into the queue.
    @inline(__always)
    static func push(_ total: Int, _ attempt: (UInt64) -> Int) {
        var made = 0
        var tries: UInt32 = 0
        while made < total {
            let count = attempt(UInt64(truncatingIfNeeded: made))
            made &+= count
            pause(unless: count > 0, &tries)
        }
    }

    /// Tries until all numbers are in the queue, in batches of 64 from an array.
    ///
    /// - Parameters:
    ///   - total: How many numbers; a multiple of 64.
    ///   - attempt: Gets what is left of a batch, and returns how many of these it put into the queue.
    @inline(__always)
    static func pushBatches(_ total: Int, _ attempt: (Span<UInt64>) -> Int) {
        var batch = [UInt64](repeating: 0, count: 64)
        var made = 0
        var tries: UInt32 = 0
        while made < total {
            for offset in 0..<64 { batch[offset] = UInt64(made &+ offset) }
            var done = 0
            while done < 64 {
                let count = batch.withUnsafeBufferPointer { attempt(unsafe $0.span.extracting(droppingFirst: done)) }
                done &+= count
                pause(unless: count > 0, &tries)
            }
            made &+= 64
        }
    }

    /// Tries until `count` numbers were in the queue.
    ///
    /// - Parameters:
    ///   - total: How many numbers.
    ///   - attempt: Adds what it takes out of the queue to the sum, and returns how many numbers these are.
    /// - Returns: The sum.
    @inline(__always)
    static func pop(_ total: Int, _ attempt: (inout UInt64) -> Int) -> UInt64 {
        var sum: UInt64 = 0
        var taken = 0
        var tries: UInt32 = 0
        while taken < total {
            let count = attempt(&sum)
            taken &+= count
            pause(unless: count > 0, &tries)
        }
        return sum
    }

    /// Tries until `count` numbers were in the queue, one by one.
    ///
    /// - Parameters:
    ///   - total: How many numbers.
    ///   - attempt: Takes a number out of the queue, if there is one.
    /// - Returns: The sum.
    @inline(__always)
    static func popOneByOne(_ total: Int, _ attempt: () -> UInt64?) -> UInt64 {
        pop(total) { sum in
            guard let number = attempt() else { return 0 }
            sum &+= number
            return 1
        }
    }

    /// Waits a little after an attempt that came to nothing.
    @inline(__always)
    private static func pause(unless isDone: Bool, _ tries: inout UInt32) {
        if isDone {
            tries = 0
        } else {
            cbench_wait(&tries)
        }
    }
}
