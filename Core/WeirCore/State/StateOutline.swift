internal import CWeir

/// What a state is made of, so that a later one can be told as changes of it.
///
/// States that follow each other are the same in most places, also where something was inserted or removed. A state is
/// divided into parts at places that depend on its bytes alone, and the parts of two states are compared by their
/// fingerprints.
///
/// Changes are the length of the new state and the number of its runs (8 bytes each, as all numbers, little-endian), for each
/// run where it begins in the state before and how long it is, and the bytes of those runs that are new, which begin nowhere.
package struct StateOutline: Sendable {
    private struct Fingerprint: Hashable, Sendable {
        let low: UInt64
        let high: UInt64

        init(_ part: cweir_part_t) { (low, high) = part.fingerprint }

        // It is as good as random.
        func hash(into hasher: inout Hasher) { hasher.combine(low) }
    }

    /// Where each part begins.
    private var places: [Fingerprint: Int]

    /// Random, so that no sender can make two parts with the same fingerprint.
    private static let key: [UInt64] = [.random(in: .min ... .max), .random(in: .min ... .max)]

    private static let nowhere = UInt64.max

    /// Finds out what a state is made of.
    ///
    /// - Parameter state: The state.
    /// - Complexity: O(*n*).
    package init(of state: [UInt8]) { self.init(Self.parts(of: state)) }

    private init(_ parts: [cweir_part_t]) {
        places = [:]
        places.reserveCapacity(parts.count)
        var place = 0
        for part in parts {
            places[Fingerprint(part)] = place
            place += part.length
        }
    }

    private static func parts(of state: [UInt8]) -> [cweir_part_t] {
        unsafe state.withUnsafeBufferPointer { state in
            guard let bytes = state.baseAddress else { return [] }
            let limit = state.count / Int(CWEIR_PART_LEAST) + 1
            return unsafe [cweir_part_t](unsafeUninitializedCapacity: limit) { parts, count in
                guard let first = parts.baseAddress else { return }
                count = unsafe cweir_outline(bytes, state.count, key, first, limit)
            }
        }
    }

    /// Tells a state as changes of the one that this is the outline of.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - limit: How many bytes the changes have, at most.
    /// - Returns: The changes, `nil` where they are longer; and the outline of the state.
    /// - Complexity: O(*n*), as for an outline.
    package func changes(to state: [UInt8], limit: Int = .max) -> (changes: [UInt8]?, outline: StateOutline) {
        var runs: [(source: Int?, start: Int, count: Int)] = []
        let parts = Self.parts(of: state)
        let next = StateOutline(parts)
        var place = 0
        for part in parts {
            let source = places[Fingerprint(part)]
            if let last = runs.last, last.source.map({ $0 + last.count }) == source {
                runs[runs.count - 1].count += part.length
            } else {
                runs.append((source, place, part.length))
            }
            place += part.length
        }
        let length = 16 * (runs.count + 1) + runs.reduce(0) { $0 + ($1.source == nil ? $1.count : 0) }
        guard length <= limit else { return (nil, next) }
        var changes: [UInt8] = []
        changes.reserveCapacity(length)
        changes.appendFixed(UInt64(state.count))
        changes.appendFixed(UInt64(runs.count))
        for run in runs {
            changes.appendFixed(run.source.map { UInt64($0) } ?? Self.nowhere)
            changes.appendFixed(UInt64(run.count))
        }
        for run in runs where run.source == nil { changes += state[run.start..<run.start + run.count] }
        return (changes, next)
    }

    // MARK: Reading

    /// A part of a state, as it lies among the bytes.
    private struct Segment {
        let start: Int

        /// Where it ends in the state.
        let end: Int
    }

    /// Of how many segments a state may consist.
    private static let segmentLimit = 1 << 22

    /// Puts together a state from an earlier one and the changes since.
    ///
    /// - Parameters:
    ///   - bytes: A state, and behind it the changes of it, the changes of what these lead to, and so on.
    ///   - changes: How many bytes each of the changes has, in their order.
    ///   - limit: How many bytes a state has, at most.
    /// - Returns: The state that the last ones lead to; `nil` where bytes are no changes of what they follow, or the state is
    ///   longer.
    /// - Complexity: O(*n* + *c* *m* log *m*) for *n* bytes, *c* changes and *m* runs of a state.
    package static func state(_ bytes: [UInt8], changes: [Int], limit: Int = .max) -> [UInt8]? {
        guard !changes.isEmpty else { return bytes }
        var start = bytes.count
        for length in changes {
            guard length >= 0, length <= start else { return nil }
            start -= length
        }
        var segments = start > 0 ? [Segment(start: 0, end: start)] : []
        for length in changes {
            guard let changed = apply(bytes, start..<start + length, to: segments, limit) else { return nil }
            segments = changed
            start += length
        }
        var state = [UInt8](roomFor: segments.last?.end ?? 0)
        for segment in segments { state += bytes[segment.start..<segment.start + segment.end - state.count] }
        return state
    }

    private static func apply(
        _ bytes: [UInt8],
        _ range: Range<Int>,
        to old: [Segment],
        _ limit: Int
    ) -> [Segment]? {
        var cursor = ByteCursor(bytes, from: range.lowerBound, to: range.upperBound)
        guard let length = cursor.fixed(UInt64.self), length <= limit, let runCount = cursor.fixed(UInt64.self),
            runCount <= UInt64(range.upperBound - cursor.offset) / 16
        else { return nil }
        var literal = cursor.offset + 16 * Int(runCount)
        let oldEnd = old.last?.end ?? 0
        var new: [Segment] = []
        var end = 0
        for _ in 0..<runCount {
            guard let source = cursor.fixed(UInt64.self), let wide = cursor.fixed(UInt64.self), wide > 0,
                wide <= length - UInt64(end)
            else { return nil }
            let count = Int(wide)
            if source == nowhere {
                guard count <= range.upperBound - literal else { return nil }
                end += count
                new.append(Segment(start: literal, end: end))
                literal += count
            } else {
                guard source <= oldEnd, count <= oldEnd - Int(source) else { return nil }
                var next = Int(source)
                let last = next + count
                var index = firstIndex(in: old, endingBehind: next)
                while next < last {
                    let begin = index == 0 ? 0 : old[index - 1].end
                    let taken = min(last, old[index].end) - next
                    end += taken
                    new.append(Segment(start: old[index].start + next - begin, end: end))
                    next += taken
                    index += 1
                }
            }
            guard new.count <= segmentLimit else { return nil }
        }
        guard end == Int(length), literal == range.upperBound else { return nil }
        return new
    }

    private static func firstIndex(in segments: [Segment], endingBehind place: Int) -> Int {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].end > place { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
