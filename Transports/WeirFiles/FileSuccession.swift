internal import WeirCore
internal import WeirRecords

/// Opens the files that get a followed name, in their order, also those that lost it again before it was read.
///
/// At most ``limit`` files wait open; more of them wait under the names that they have by then.
///
/// Safety: a descriptor is open from the moment it is in ``waiting`` until it is taken, or `deinit`.
final class FileSuccession {
    /// A file that is open for reading.
    struct File {
        let descriptor: Int32
        let identity: SystemCalls.Facts
        /// Makes ``wakeDescriptor`` readable when the file is written to.
        var watch: FileWatch.Mark?

        init?(_ descriptor: Int32) {
            guard descriptor >= 0, let identity = SystemCalls.facts(about: descriptor) else { return nil }
            self.descriptor = descriptor
            self.identity = identity
        }

        func isSame(as other: SystemCalls.Facts) -> Bool {
            identity.device == other.device && identity.node == other.node
        }
    }

    /// What can be read when there may be something new; `nil` where nothing tells.
    var wakeDescriptor: Int32? { watch?.descriptor }

    /// Whether anything was told since this was last set to false, which ``wakeDescriptor`` does not tell again.
    var hasNews = false

    /// The files that come next, the oldest first.
    private(set) var waiting: [File] = []

    private let path: String
    private let folder: String
    private let meter: TransportMeter
    private let watch: FileWatch?
    private var history: NameHistory
    private var goneCount = 0

    /// The file that people were told of, because it cannot be opened.
    private var unopenedNode: UInt64?

    private static let limit = 32

    /// How often names are opened again because something was renamed meanwhile.
    private static let attemptLimit = 100

    /// Starts to look.
    init(of path: String, _ meter: TransportMeter) {
        self.path = path
        self.meter = meter
        let slash = path.lastIndex(of: "/")
        folder = slash.map { String(path[...$0]) } ?? "./"
        history = NameHistory(of: slash.map { String(path[path.index(after: $0)...]) } ?? path)
        watch = FileWatch(folder: folder)
        if watch == nil {
            let reason = SystemCalls.describe(SystemCalls.lastError)
            meter.note(
                "the system does not tell what happens to '\(path)' (\(reason)); a file that has that name only between"
                    + " two looks is not read"
            )
        }
    }

    deinit {
        for file in waiting { SystemCalls.closeDescriptor(file.descriptor) }
    }

    /// Makes ``wakeDescriptor`` readable when a file is written to, too.
    func watch(_ descriptor: Int32) -> FileWatch.Mark? { watch?.watch(descriptor) }

    /// Ends what ``watch(_:)`` began, while the file is still open.
    func unwatch(_ mark: FileWatch.Mark?) { if let mark { watch?.unwatch(mark) } }

    /// Has files come next that got the name before there was anyone to look.
    func begin(with files: [Int32], after current: SystemCalls.Facts) {
        for descriptor in files {
            if let file = File(descriptor) { enqueue(file, current) }
        }
    }

    /// Takes the file that comes next.
    func removeFirst() -> File { waiting.removeFirst() }

    /// Looks for files that got the name since the last call.
    func update(_ current: SystemCalls.Facts, looksAtPath: Bool) {
        noteChanges()
        openRemembered(current)
        if looksAtPath, history.names.isEmpty, waiting.count < Self.limit,
            let there = SystemCalls.facts(about: path), !isKnown(there, current), there.kind == .regularFile
        {
            // Something may tell of it by now, and of others before it.
            noteChanges()
            if history.names.isEmpty { openPath(there, current) } else { openRemembered(current) }
        }
        let gone = history.goneCount - goneCount
        guard gone > 0 else { return }
        goneCount = history.goneCount
        meter.note(
            "\(gone == 1 ? "a file" : "\(gone) files") with the name '\(path)' went before"
                + " \(gone == 1 ? "it" : "they") could be read; what was written there is lost"
        )
    }

    private func noteChanges() {
        guard let (changes, areMissing, areThere) = watch?.takeChanges() else { return }
        if areThere { hasNews = true }
        for change in changes { history.note(change) }
        history.noteEnd()
        if areMissing {
            meter.note("more happened in '\(folder)' than the system keeps; files with the name '\(path)' may be lost")
        }
    }

    private func isKnown(_ there: SystemCalls.Facts, _ current: SystemCalls.Facts) -> Bool {
        there.device == current.device && there.node == current.node || waiting.contains { $0.isSame(as: there) }
    }

    /// Opens the files that are remembered by their names, as far as there is room.
    ///
    /// A name means what it says only as long as nothing is renamed: what was opened counts when nothing was.
    private func openRemembered(_ current: SystemCalls.Facts) {
        for attempt in 1...Self.attemptLimit {
            let names = history.names.prefix(Self.limit - waiting.count)
            guard !names.isEmpty else { return }
            let revision = history.revision
            let opened = names.map { name in
                (name: name, file: Self.open(folder + name), error: SystemCalls.lastError)
            }
            noteChanges()
            // A name that is not there was changed just now, which is told in a moment.
            let isMoving = opened.contains { $0.file == nil && $0.error == SystemCalls.noSuchFile }
            guard history.revision == revision, !isMoving || attempt == Self.attemptLimit else {
                for file in opened.compactMap(\.file) { SystemCalls.closeDescriptor(file.descriptor) }
                continue
            }
            for (name, file, error) in opened {
                guard let file else {
                    guard error != SystemCalls.noSuchFile, let there = SystemCalls.facts(about: folder + name) else {
                        history.removeFirst(isGone: true)
                        continue
                    }
                    // It may be allowed later, and stays the first.
                    return refuse(there, error)
                }
                history.removeFirst(isGone: false)
                enqueue(file, current)
            }
        }
    }

    private func openPath(_ there: SystemCalls.Facts, _ current: SystemCalls.Facts) {
        guard let file = Self.open(path) else {
            return refuse(there, SystemCalls.lastError)
        }
        enqueue(file, current)
    }

    private func enqueue(_ file: File, _ current: SystemCalls.Facts) {
        guard file.identity.kind == .regularFile, !isKnown(file.identity, current) else {
            return SystemCalls.closeDescriptor(file.descriptor)
        }
        var file = file
        file.watch = watch(file.descriptor)
        waiting.append(file)
    }

    /// Opens whatever has a name by now, without waiting: it may be a pipe.
    private static func open(_ path: String) -> File? {
        File(SystemCalls.openPipe(path, for: .reading))
    }

    private func refuse(_ there: SystemCalls.Facts, _ error: Int32) {
        if unopenedNode != there.node, error != SystemCalls.noSuchFile {
            meter.note("'\(path)' is another file now and cannot be opened: \(SystemCalls.describe(error))")
        }
        unopenedNode = there.node
    }
}
