#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A look at a library's file before the system loads it.
///
/// Loaders trust the file: one that was cut off, as by a copy that broke off, would end the process.
enum LibraryFile {
    /// What is wrong with a file, in words that follow its path; `nil` where it seems to be in order, and where the
    /// system can say better why it is not.
    static func flaw(ofFileAt path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return "it is a folder"
        default: return "it is not a file"
        }
        #if os(Linux) || os(FreeBSD) || os(Android)
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            return flaw(ofELF: { read(descriptor, at: $0, count: $1) }, size: Int(status.st_size))
        #else
            return nil
        #endif
    }

    /// What is wrong with a file in the format ELF (Tool Interface Standard, 1995).
    ///
    /// - Parameters:
    ///   - bytes: The bytes from a place on, fewer where the file ends.
    ///   - size: How long the file is.
    /// - Returns: What is wrong with it, in words; `nil` where it seems to be in order.
    static func flaw(ofELF bytes: (_ place: Int, _ count: Int) -> [UInt8], size: Int) -> String? {
        let header = bytes(0, headerLength)
        guard header.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]) else {
            return "it is no library"
        }
        guard header.count == headerLength else { return "it is cut off: it has \(size) bytes" }
        guard header[4] == pointerClass, header[5] == byteOrder, machine.map({ $0 == header.number(at: 18, 2) }) ?? true
        else { return "it was built for another kind of machine" }
        guard header.number(at: 16, 2) == sharedObject else { return "it is no library" }
        let wide = MemoryLayout<Int>.size == 8
        let table = header.number(at: wide ? 32 : 28, MemoryLayout<Int>.size)
        let entryLength = header.number(at: wide ? 54 : 42, 2)
        let entryCount = header.number(at: wide ? 56 : 44, 2)
        var end = 0
        for index in 0..<entryCount {
            let entry = bytes(table &+ index &* entryLength, entryLength)
            guard entry.count == entryLength, entryLength >= (wide ? 56 : 32) else {
                return "it is cut off: it has \(size) bytes"
            }
            let start = entry.number(at: wide ? 8 : 4, MemoryLayout<Int>.size)
            let length = entry.number(at: wide ? 32 : 16, MemoryLayout<Int>.size)
            end = max(end, start &+ length)
            guard start >= 0, length >= 0, start &+ length >= 0 else { return "it is damaged" }
        }
        return end > size ? "it is cut off: it has \(size) of at least \(end) bytes" : nil
    }

    private static let headerLength = MemoryLayout<Int>.size == 8 ? 64 : 52
    private static let pointerClass: UInt8 = MemoryLayout<Int>.size == 8 ? 2 : 1
    private static let sharedObject = 3

    private static var byteOrder: UInt8 { 1.littleEndian == 1 ? 1 : 2 }

    /// The number of this machine's kind, where it is a usual one.
    private static var machine: Int? {
        #if arch(x86_64)
            62
        #elseif arch(arm64)
            183
        #elseif arch(i386)
            3
        #elseif arch(arm)
            40
        #else
            nil
        #endif
    }

    private static func read(_ descriptor: CInt, at place: Int, count: Int) -> [UInt8] {
        guard place >= 0, count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = unsafe max(0, pread(descriptor, buffer.baseAddress, count, off_t(place)))
        }
    }
}

extension [UInt8] {
    /// The number at a place, in this machine's order of bytes.
    fileprivate func number(at place: Int, _ length: Int) -> Int {
        var value = 0
        for index in 0..<length {
            let isLittle = 1.littleEndian == 1
            value = value << 8 | Int(self[isLittle ? place + length - 1 - index : place + index])
        }
        return value
    }
}
