/// How far time is in the parts of an input, which are merged by that.
package struct TimeMarks {
    private let sourceCount: Int
    private var marks: [Int: TimeMark] = [:]

    /// What stands behind messages that were not read yet.
    private var waiting: [(source: Int, mark: TimeMark)] = []

    /// Creates marks of which none is known.
    ///
    /// - Parameter sourceCount: How many parts the input has; 0 where none says how far time is.
    package init(sourceCount: Int) {
        self.sourceCount = sourceCount
    }

    /// Adds a mark that counts with the next ``settle()``; one of a part that the input does not have counts for nothing.
    package mutating func add(_ mark: TimeMark, of source: Int) {
        guard (0..<sourceCount).contains(source) else { return }
        waiting.append((source, mark))
    }

    /// Says that the messages before all marks that were added have been read.
    package mutating func settle() {
        for (source, mark) in waiting {
            let time = max(mark.time, marks[source]?.time ?? .min)
            marks[source] = TimeMark(time: time, isIdle: mark.isIdle)
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// The least time of all parts that are not idle, in nanoseconds since 1970.
    ///
    /// Where all are idle it is the greatest, and until all are known there is none.
    package var time: Int64? {
        guard sourceCount > 0, marks.count >= sourceCount else { return nil }
        return marks.values.filter { !$0.isIdle }.map(\.time).min() ?? marks.values.map(\.time).max()
    }

    /// What is known, as text; nothing where nothing is.
    package var encoded: [UInt8] {
        let text = marks.sorted { $0.key < $1.key }.map {
            "\($0.key) \($0.value.time)\($0.value.isIdle ? " idle" : "")"
        }
        return Array(text.joined(separator: "\n").utf8)
    }

    /// Goes on with what others have known.
    package mutating func goOn(with bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 2, let source = Int(words[0]), let time = Int64(words[1]) else { continue }
            marks[source] = TimeMark(time: time, isIdle: words.count > 2)
        }
    }
}
