import CWeirPlugin
import WeirCore
import WeirRecords

@testable import WeirLoading

/// Where a library's header is in order, all of its parts are in the file.
func checkLibrary(_ input: inout Input) {
    var bytes = Array(input.rest)
    // The beginning of a library for this machine, so that what follows it is tried.
    let start: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1]
    for (index, byte) in start.enumerated() where index < bytes.count { bytes[index] = byte }
    if bytes.count > 19 {
        #if arch(x86_64)
            bytes.replaceSubrange(16..<20, with: [3, 0, 62, 0])
        #else
            bytes.replaceSubrange(16..<20, with: [3, 0, 183, 0])
        #endif
    }
    let size = bytes.count
    func read(_ place: Int, _ count: Int) -> [UInt8] {
        place >= 0 && place < size ? Array(bytes[place...].prefix(max(0, count))) : []
    }
    let flaw = LibraryFile.flaw(ofELF: read, size: size)
    if let flaw { return requireLine(flaw) }
    func number(_ place: Int, _ length: Int) -> Int128 {
        bytes[place..<place + length].reversed().reduce(Int128(0)) { $0 << 8 | Int128($1) }
    }
    let (table, entryLength, entryCount) = (number(32, 8), number(54, 2), number(56, 2))
    for index in 0..<entryCount {
        let place = table + index * entryLength
        require(place + entryLength <= Int128(size), "an entry behind the end")
        require(number(Int(place) + 8, 8) + number(Int(place) + 32, 8) <= Int128(size), "a part behind the end")
    }
}

/// What a library declares is refused in one line, or can be used.
func checkTable(_ input: inout Input) {
    var memory: [UnsafeMutablePointer<UInt8>] = []
    defer { for pointer in memory { unsafe pointer.deallocate() } }
    func text() -> weir_text {
        let bytes = input.bytes(Int(input.byte() & 15))
        // Exactly as long as it is, so that the sanitizer sees a step beyond its end.
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        unsafe copy.initialize(from: bytes, count: bytes.count)
        memory.append(copy)
        return unsafe weir_text(bytes: copy, length: bytes.count)
    }
    var options: [weir_option] = []
    while !input.rest.isEmpty {
        let flags = input.byte()
        unsafe options.append(
            weir_option(
                name: text(),
                help: text(),
                detail: text(),
                default_text: text(),
                minimum: Double(bitPattern: UInt64(bitPattern: input.anyNumber())),
                least: input.anyNumber(),
                most: input.anyNumber(),
                kind: UInt32(flags & 15),
                has_default: UInt32(flags >> 4 & 1),
                has_minimum: UInt32(flags >> 5 & 1),
                reserved: 0
            )
        )
    }
    do throws(LoadingError) {
        let declarations = unsafe try TableReader(path: "fuzz").options(options, options.count)
        require(declarations.count == options.count, "other options")
        for (declaration, option) in zip(declarations, options) {
            let again = unsafe weir_option(declaration)
            // A plugin's table keeps them for ever.
            let texts = unsafe [again.name, again.help, again.detail, again.default_text]
            defer { for text in unsafe texts { unsafe text.bytes?.deallocate() } }
            require(unsafe again.kind == option.kind, "another kind")
            require(TableReader.isName(declaration.name), "'\(declaration.name)' is no name")
        }
        let defaults = try? OptionValues(declarations)
        require(defaults != nil, "the defaults cannot be read")
    } catch {
        requireLine("\(error)")
    }
}
