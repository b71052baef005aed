/// The compressed forms that files often have, and the programs of the system that read and write them.
package enum Compression: String, Sendable, CaseIterable {
    case gzip, zstd, xz, bzip2

    /// How compressed bytes begin.
    private var marks: [[UInt8]] {
        switch self {
        case .gzip: [[0x1F, 0x8B]]
        case .zstd: [[0x28, 0xB5, 0x2F, 0xFD]]
        case .xz: [[0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]]
        // Behind the level, which is a digit, of a block and of the end; the three letters alone may begin a text.
        case .bzip2: [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]]
        }
    }

    /// How many bytes tell the form.
    package static let markLength = 10

    /// The ending of files, with its dot.
    package var ending: String {
        switch self {
        case .gzip: ".gz"
        case .zstd: ".zst"
        case .xz: ".xz"
        case .bzip2: ".bz2"
        }
    }

    /// The program.
    package var program: String { rawValue }

    /// The packages that have the program, in words.
    package var package: String { self == .xz ? "the package xz-utils or xz" : "the package \(rawValue)" }

    /// The form of compressed bytes, by how they begin; `nil` where they are not compressed.
    package init?(beginning bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(Self.markLength))
        let isBzip2 = head.starts(with: [0x42, 0x5A, 0x68])
        let marked = head[(isBzip2 ? min(4, head.count) : 0)...]
        let form = Self.allCases.first { form in
            (form == .bzip2) == isBzip2 && form.marks.contains { marked.starts(with: $0) }
        }
        guard let form else { return nil }
        self = form
    }

    /// The form that the ending of a path stands for; `nil` where it stands for none.
    package init?(endingOf path: String) {
        let lowercase = path.lowercased()
        guard let form = Self.allCases.first(where: { lowercase.hasSuffix($0.ending) }) else { return nil }
        self = form
    }
}
