internal import CommonStream
internal import WeirCore
internal import WeirFiles
internal import WeirFormats

/// Runs one hot path, looks at the memory of one, reads a file of the common stream, or prints the stream.
///
/// Without Foundation, whose start would take longer than the work.
@main
enum Main {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("list", 1):
            return HotPath.all.forEach { print($0.name, $0.count) }
        case ("run", 3):
            guard let path = HotPath.all.first(where: { $0.name == arguments[1] }),
                let count = Int(arguments[2]), count > 0, count <= 2 * path.count
            else { break }
            let tally = try path.run(count, 2 * path.count)
            return print(tally.count, tally.sum)
        case ("by-hand", 3):
            guard let path = HotPath.all.first(where: { $0.name == arguments[1] }),
                let count = Int(arguments[2]), count > 0, count <= 2 * path.count
            else { break }
            let tally = path.byHand(count, 2 * path.count)
            return print(tally.count, tally.sum)
        case ("memory", 1):
            return ResidentMemory.all.forEach { print($0.name) }
        case ("memory", 3...):
            let counts = arguments[2...].compactMap { Int($0) }
            guard let work = ResidentMemory.all.first(where: { $0.name == arguments[1] }),
                counts.count == arguments.count - 2, counts == counts.sorted()
            else { break }
            guard let sizes = try work.run(counts) else { return print("unknown") }
            return print(sizes.map { "\($0)" }.joined(separator: " "))
        case ("read", 3):
            guard let workload = PeerWorkload(rawValue: arguments[1]), workload.isForFiles else { break }
            let tally = try workload.run(onFile: arguments[2])
            return print(tally.count, tally.sum)
        case ("generate", 3):
            guard let workload = PeerWorkload(rawValue: arguments[1]), let count = Int(arguments[2]) else { break }
            let tally = workload.run(onEvents: count)
            return print(tally.count, tally.sum)
        case ("stream", 2):
            guard let count = Int(arguments[1]), count >= 0 else { break }
            // The value as its bits, so that nobody's way of writing numbers matters.
            return CommonStream.events(count).forEach { event in
                let bits = String(event.value.bitPattern, radix: 16)
                print(event.timestamp.nanosecondsSinceEpoch / 1_000_000, event.key, event.type, bits)
            }
        default: break
        }
        fatalError(
            """
            usage: hotpaths list | run NAME COUNT | by-hand NAME COUNT | memory [NAME COUNT...] | stream COUNT
                 | read filter|columns|numbers|table|w1|w4 FILE.csv|FILE.jsonl | generate filter|w1|w3t|w4|w5|w6 COUNT
            """
        )
    }
}
