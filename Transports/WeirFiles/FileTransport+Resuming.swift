internal import WeirCore
package import WeirRecords

// Files that are read on where another run was.
extension FileTransport: ResumableTransport {
    package func canResume(_ address: String) -> Bool {
        guard let parts = try? TransportAddress(ofSource: address, self) else { return false }
        // A descriptor, such as /dev/stdin, is another file the next time.
        return !FileSystem.isDescriptor(parts.place) && SystemCalls.facts(about: parts.place)?.kind == .regularFile
    }

    package func openSource(
        _ address: String,
        at position: SourcePosition
    ) throws(TransportError) -> any TransportSource {
        let parts = try TransportAddress(ofSource: address, self)
        let path = parts.place
        guard !parts.options.flag("follow") else { return try openFollowed(parts, at: position) }
        let descriptor = SystemCalls.openForReading(path)
        guard descriptor >= 0 else {
            throw .cannotOpen(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        if handlesCompression, let form = DecompressingSource.form(ofFile: descriptor) {
            defer { SystemCalls.closeDescriptor(descriptor) }
            // How much of it was read is not known, but it had at least that many bytes.
            try position.checkContents(of: descriptor, path, atLeast: position.fileByteCount)
            let source = try DecompressingSource(of: descriptor, address: path, form: form, interruption: interruption)
            try source.skip(position.offset, address: path)
            return source
        }
        do throws(TransportError) {
            try position.checkContents(of: descriptor, path, atLeast: position.offset)
            guard SystemCalls.move(descriptor, to: position.offset) else {
                throw .cannotOpen(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
            }
        } catch {
            SystemCalls.closeDescriptor(descriptor)
            throw error
        }
        return try DescriptorSource(descriptor, address: path, isOwned: true, interruption: interruption)
    }

    package func hasGrown(_ address: String, since position: SourcePosition) -> Bool {
        guard let parts = try? TransportAddress(ofSource: address, self),
            let facts = SystemCalls.facts(about: parts.place)
        else { return true }
        // Of a compressed file nothing says how much of it was read; it was read to the end that it had.
        let seen = position.tail.isEmpty && position.offset > 0 ? position.fileByteCount : position.offset
        return parts.options.flag("follow") || facts.node != position.node || facts.byteCount != seen
    }

    // MARK: Followed files

    /// Finds the file that was read, by whatever name it has now, and those that had the followed name since.
    private func openFollowed(
        _ parts: TransportAddress,
        at position: SourcePosition
    ) throws(TransportError) -> any TransportSource {
        let path = parts.place
        var place = path
        var files: [Int32] = []
        if SystemCalls.facts(about: path)?.node != position.node {
            let old = Rotated.all(of: path)
            guard let current = old.first(where: { $0.facts.node == position.node }) else {
                throw .cannotOpen(
                    address: path,
                    reason: "the file that had that name when it was read is not there any more"
                )
            }
            place = current.path
            let between = old.filter { $0.facts.modified > current.facts.modified }
            if let compressed = between.first(where: { Compression(endingOf: $0.path) != nil }) {
                throw .cannotOpen(
                    address: path,
                    reason: "'\(compressed.path)' comes before it and was not read; it is compressed"
                )
            }
            files = between.map { SystemCalls.openPipe($0.path, for: .reading) }
        }
        let descriptor = SystemCalls.openPipe(place, for: .reading)
        do throws(TransportError) {
            guard descriptor >= 0 else {
                throw .cannotOpen(address: place, reason: SystemCalls.describe(SystemCalls.lastError))
            }
            try position.checkContents(of: descriptor, place, atLeast: position.offset)
        } catch {
            for file in [descriptor] + files where file >= 0 { SystemCalls.closeDescriptor(file) }
            throw error
        }
        let source = try followed(descriptor, parts, startsAtEnd: false)
        source.goOn(at: position, before: files)
        return source
    }

    func followed(
        _ descriptor: Int32,
        _ parts: TransportAddress,
        startsAtEnd: Bool
    ) throws(TransportError) -> FollowingSource {
        let pause = parts.options.duration("poll") / .milliseconds(1)
        return try FollowingSource(
            descriptor,
            path: parts.place,
            startsAtEnd: startsAtEnd,
            sharesHeader: parts.options.text("header") == "shared",
            pause: Int32(min(max(1, pause), 3_600_000)),
            interruption: interruption
        )
    }

    /// A file that log rotation has renamed: `app.log.1` or `app.log-20260131` of `app.log`.
    private struct Rotated {
        let path: String
        let facts: SystemCalls.Facts

        /// Those of a name, the oldest first.
        static func all(of path: String) -> [Rotated] {
            let slash = path.lastIndex(of: "/")
            let folder = slash.map { String(path[...$0]) } ?? "./"
            let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
            let current = SystemCalls.facts(about: path)
            return (FileSystem.names(inFolder: folder) ?? [])
                .filter { $0.hasPrefix(name + ".") || $0.hasPrefix(name + "-") }
                .compactMap { other in
                    guard let facts = SystemCalls.factsWithoutFollowing(folder + other), facts.kind == .regularFile,
                        facts.node != current?.node
                    else { return nil }
                    return Rotated(path: folder + other, facts: facts)
                }
                .sorted { ($0.facts.modified, $0.path) < ($1.facts.modified, $1.path) }
        }
    }
}

extension SourcePosition {
    /// How many bytes tell one content from another, at the start and before a place.
    private static let markLength: Int64 = 256

    /// A place behind some bytes of what a file holds, which are not those of the file itself.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - offset: How many bytes were handed out.
    package init?(ofFile path: String, handedOut offset: Int64) {
        let descriptor = SystemCalls.openForReading(path)
        guard descriptor >= 0 else { return nil }
        defer { SystemCalls.closeDescriptor(descriptor) }
        self.init(of: descriptor, at: 0)
        self.offset = offset
    }

    /// Checks that a file is the one that was read before, and not shorter, where what it holds is no bytes of it.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when it is another one.
    package func checkFile(_ path: String) throws(TransportError) {
        let descriptor = SystemCalls.openForReading(path)
        guard descriptor >= 0 else {
            throw .cannotOpen(address: path, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        defer { SystemCalls.closeDescriptor(descriptor) }
        try checkContents(of: descriptor, path, atLeast: fileByteCount)
    }

    /// A place in a file that is open; `nil` for what is no file.
    init?(of descriptor: Int32, at offset: Int64) {
        guard let facts = SystemCalls.facts(about: descriptor), facts.kind == .regularFile else { return nil }
        self.init(offset: offset)
        (node, fileByteCount) = (facts.node, facts.byteCount)
        head = SystemCalls.readBytes(descriptor, at: 0, count: Int(min(facts.byteCount, Self.markLength)))
        let tailLength = min(offset, Self.markLength)
        tail = SystemCalls.readBytes(descriptor, at: offset - tailLength, count: Int(tailLength))
    }

    /// Checks that a file is the one that was read, and has what was read.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when it is another one.
    fileprivate func checkContents(
        of descriptor: Int32,
        _ path: String,
        atLeast byteCount: Int64
    ) throws(TransportError) {
        guard let facts = SystemCalls.facts(about: descriptor), facts.kind == .regularFile else {
            throw .cannotOpen(address: path, reason: "it is no file any more")
        }
        guard facts.node == node else {
            throw .cannotOpen(address: path, reason: "it is another file than the one that was read before")
        }
        guard facts.byteCount >= byteCount else {
            throw .cannotOpen(
                address: path,
                reason: "it has become shorter: \(facts.byteCount) bytes, and \(byteCount) were there before"
            )
        }
        guard SystemCalls.readBytes(descriptor, at: 0, count: head.count) == head,
            SystemCalls.readBytes(descriptor, at: offset - Int64(tail.count), count: tail.count) == tail
        else {
            throw .cannotOpen(address: path, reason: "its contents are not those that were read before")
        }
    }
}
