/// The compressed forms that files often have.
enum Compression {
    private static let forms: [(program: String, mark: [UInt8])] = [
        ("gzip", [0x1F, 0x8B]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD]), ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
        // Behind the level, which is a digit; the three letters alone may begin a text.
        ("bzip2", [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]),
    ]

    /// The program that decompresses bytes, by how they begin; `nil` where they are not compressed.
    static func program(for bytes: some Collection<UInt8>) -> String? {
        let rest = bytes.starts(with: "BZh".utf8) ? bytes.dropFirst(4) : bytes[...]
        return forms.first { program, mark in
            (program == "bzip2" ? rest.startIndex != bytes.startIndex : true) && rest.starts(with: mark)
        }?.program
    }
}
