#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reports at once that a file was written to, and what happened to the names in a folder: inotify on Linux, kqueue on
/// Apple's systems, which says only that something happened.
///
/// File systems of other machines tell nothing: a watcher has to poll all the same.
///
/// Safety: the descriptors are open from `init` to `deinit`, which closes them.
final class FileWatch {
    /// Can be read when something happened.
    let descriptor: Int32

    #if os(Linux)
        /// A file that is watched.
        typealias Mark = Int32

        /// Watches a folder; `nil` where the system watches no more, and ``SystemCalls/lastError`` says why.
        init?(folder: String) {
            descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            let mask = UInt32(IN_CREATE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)
            // The object is whole here, so `deinit` closes the descriptor; a close that succeeds keeps the error.
            guard unsafe inotify_add_watch(descriptor, folder, mask) >= 0 else { return nil }
        }

        deinit {
            if descriptor >= 0 { SystemCalls.closeDescriptor(descriptor) }
        }

        /// From now on tells when this open file is written to too.
        func watch(_ opened: Int32) -> Mark? {
            // Its name may be another one by now.
            let mark = unsafe inotify_add_watch(descriptor, "/proc/self/fd/\(opened)", UInt32(IN_MODIFY))
            return mark < 0 ? nil : mark
        }

        /// Ends what ``watch(_:)`` began.
        func unwatch(_ mark: Mark) {
            _ = inotify_rm_watch(descriptor, mark)
        }

        /// Takes what happened since the last call.
        ///
        /// - Returns: The changes of names in their order; whether some are missing, because there were too many; and
        ///   whether anything happened.
        func takeChanges() -> (changes: [NameChange], areMissing: Bool, areThere: Bool) {
            var changes: [NameChange] = []
            var areMissing = false
            var areThere = false
            unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 8) { buffer in
                while true {
                    let count = unsafe SystemCalls.readBytes(descriptor, into: buffer)
                    if count < 0, SystemCalls.lastError == EINTR { continue }
                    guard count > 0 else { return }
                    areThere = true
                    var place = 0
                    // A watch, a mask, a number and a length, four bytes each; then a name that ends with zeros.
                    while place + 16 <= count {
                        let mask = unsafe buffer.load(fromByteOffset: place + 4, as: UInt32.self)
                        let number = unsafe buffer.load(fromByteOffset: place + 8, as: UInt32.self)
                        let length = unsafe Int(buffer.load(fromByteOffset: place + 12, as: UInt32.self))
                        let bytes = unsafe buffer[(place + 16)..<min(count, place + 16 + length)]
                        let name = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                        place += 16 + length
                        if mask & UInt32(IN_Q_OVERFLOW) != 0 { areMissing = true }
                        if mask & UInt32(IN_CREATE) != 0 { changes.append(.made(name)) }
                        if mask & UInt32(IN_MOVED_FROM) != 0 { changes.append(.left(name, number)) }
                        if mask & UInt32(IN_MOVED_TO) != 0 { changes.append(.arrived(name, number)) }
                        if mask & UInt32(IN_DELETE) != 0 { changes.append(.removed(name)) }
                    }
                }
            }
            return (changes, areMissing, areThere)
        }
    #else
        private let folder: Int32

        init?(folder path: String) {
            folder = unsafe open(path, O_EVTONLY | O_CLOEXEC)
            guard folder >= 0 else { return nil }
            descriptor = kqueue()
            // The object is whole here, so `deinit` closes what is open.
            guard descriptor >= 0 else { return nil }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            add(folder)
        }

        deinit {
            if descriptor >= 0 { SystemCalls.closeDescriptor(descriptor) }
            SystemCalls.closeDescriptor(folder)
        }

        typealias Mark = Void

        func watch(_ opened: Int32) -> Mark? {
            add(opened)
        }

        /// Closing a file ends it by itself.
        func unwatch(_ mark: Mark) {}

        private func add(_ opened: Int32) {
            var change = unsafe kevent(
                ident: UInt(opened),
                filter: Int16(EVFILT_VNODE),
                flags: UInt16(EV_ADD | EV_CLEAR),
                fflags: UInt32(NOTE_WRITE) | UInt32(NOTE_EXTEND) | UInt32(NOTE_RENAME) | UInt32(NOTE_DELETE),
                data: 0,
                udata: nil
            )
            _ = unsafe kevent(descriptor, &change, 1, nil, 0, nil)
        }

        /// Forgets that something happened: kqueue has no names.
        func takeChanges() -> (changes: [NameChange], areMissing: Bool, areThere: Bool) {
            var areThere = false
            var events = unsafe [kevent](repeating: kevent(), count: 16)
            var now = timespec(tv_sec: 0, tv_nsec: 0)
            while true {
                let count = unsafe kevent(descriptor, nil, 0, &events, Int32(events.count), &now)
                if count > 0 { areThere = true }
                guard count == 16 else { return ([], false, areThere) }
            }
        }
    #endif
}
