import Testing
import WeirCore
import WeirFiles

@Suite struct NameHistoryTests {
    /// A folder of names and numbered files, which tells what happens to it as the system does.
    private struct Folder {
        var files: [String: Int] = [:]
        var changes: [NameChange] = []
        var moves: UInt32 = 0

        mutating func make(_ name: String, _ number: Int) {
            files[name] = number
            changes.append(.made(name))
        }

        mutating func remove(_ name: String) {
            guard files.removeValue(forKey: name) != nil else { return }
            changes.append(.removed(name))
        }

        mutating func rename(_ old: String, _ new: String) {
            guard let number = files.removeValue(forKey: old) else { return }
            moves += 1
            files[new] = number
            changes += [.left(old, moves), .arrived(new, moves)]
        }
    }

    /// Each file that had the name is found under its present name, in order, or counted.
    @Test func findsEachFileOrCountsIt() {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var folder = Folder()
            var history = NameHistory(of: "log")
            var made = 0
            var taken: [Int] = []
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    // A rotation with numbers; the oldest file is overwritten.
                    for number in stride(from: 3, through: 1, by: -1) {
                        folder.rename("log.\(number)", "log.\(number + 1)")
                    }
                    folder.rename("log", "log.1")
                    folder.make("log", made)
                    made += 1
                case 4:
                    folder.make("other", -1)
                    folder.rename("other", "another")
                case 5:
                    folder.make("new", made)
                    made += 1
                    folder.rename("new", "log")
                case 6: folder.remove("log.\(Int.random(in: 1...4, using: &random))")
                case 7: folder.remove("log")
                default:
                    for change in folder.changes { history.note(change) }
                    folder.changes = []
                    history.noteEnd()
                    guard Bool.random(using: &random) else { continue }
                    for name in history.names {
                        taken.append(folder.files[name] ?? -1)
                        history.removeFirst(isGone: false)
                    }
                }
            }
            for change in folder.changes { history.note(change) }
            history.noteEnd()
            taken += history.names.map { folder.files[$0] ?? -1 }
            #expect(taken == taken.sorted() && Set(taken).count == taken.count && !taken.contains(-1), "seed \(seed)")
            #expect(taken.count + history.goneCount == made, "seed \(seed): nothing is silent")
        }
    }

    @Test func whatIsMovedToAnotherFolderIsGone() {
        var history = NameHistory(of: "log")
        for change in [NameChange.made("log"), .left("log", 7)] { history.note(change) }
        history.noteEnd()
        #expect(history.names.isEmpty)
        #expect(history.goneCount == 0, "its new name may come with the next changes")
        history.noteEnd()
        #expect(history.goneCount == 1)
    }

    @Test func whatIsRememberedIsBounded() {
        var history = NameHistory(of: "log")
        for number in 0..<NameHistory.limit + 5 {
            history.note(.made("log"))
            history.note(.left("log", UInt32(number)))
            history.note(.arrived("log.\(number)", UInt32(number)))
        }
        #expect(history.names.count == NameHistory.limit)
        #expect(history.names.first == "log.5")
        #expect(history.goneCount == 5)
    }
}
