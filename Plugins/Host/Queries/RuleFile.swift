internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// A file with rules: a line `---` stands between two of them, and comments before a rule say more about it.
///
/// ```text
/// // name: brute force
/// // description: Five failures, then a success.
/// // severity: high
/// sequence by user with maxspan=1m
///   [login where outcome == "failure"] with runs=5
///   [login where outcome == "success"]
/// ---
/// // name: root
/// login where user == "root"
/// ```
///
/// A rule without a name is called like the file, and of several in it like the file with a number behind it.
enum RuleFile {
    /// How much a file may have.
    private static let byteLimit = 16 << 20

    /// Reads the rules of files, and of all files of the language in folders.
    ///
    /// - Parameters:
    ///   - paths: Files and folders. In folders, names that begin with a dot are passed over.
    ///   - language: The language.
    /// - Returns: The rules, by the order of the paths, and in folders by the names of the files; a file of a folder that
    ///   cannot be read is a flaw.
    /// - Throws: ``HostError`` for a path that cannot be read, or has no rules.
    static func texts(at paths: [String], _ language: any QueryLanguage) throws(HostError) -> RuleTexts {
        guard !paths.isEmpty else { throw .usage("--rules: the list is empty; name a file or a folder with rules") }
        var rules: [RuleText] = []
        var flaws: [RuleFlaw] = []
        for path in paths {
            guard FileSystem.names(inFolder: path) != nil else {
                rules += try RuleFile.rules(at: path)
                continue
            }
            var files: [String] = []
            collect(path, language.fileEndings, 0, to: &files)
            guard !files.isEmpty else {
                let endings = language.fileEndings.map { ".\($0)" }.joined(separator: " or ")
                throw .usage("--rules: there is no rule in '\(path)': none of its files ends with \(endings)")
            }
            for file in files {
                do throws(HostError) {
                    rules += try RuleFile.rules(at: file)
                } catch {
                    flaws.append(RuleFlaw(message: error.message, excerpt: "", file: file))
                }
            }
        }
        return RuleTexts(rules, flaws: flaws, language: language.name)
    }

    /// Finds the files of a language.
    private static func collect(_ path: String, _ endings: [String], _ depth: Int, to files: inout [String]) {
        // Links may lead round in a circle.
        guard depth < 32, let names = FileSystem.names(inFolder: path) else { return }
        let folder = path.hasSuffix("/") ? path : path + "/"
        for name in names where !name.hasPrefix(".") {
            if endings.contains(where: { name.hasSuffix(".\($0)") }) {
                files.append(folder + name)
            } else {
                collect(folder + name, endings, depth + 1, to: &files)
            }
        }
    }

    /// The rules of a file; of a file without any, one that is empty and so is refused with its place.
    static func rules(at path: String) throws(HostError) -> [RuleText] {
        let bytes: [UInt8]
        do throws(TransportError) {
            bytes = try FileTransport().openSource(FileTransport.address(ofPath: path))
                .readAll(limit: byteLimit, address: path)
        } catch {
            throw HostError(.noInput, "--rules: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw HostError(.noInput, "--rules: '\(path)' is not UTF-8")
        }
        // Windows programs begin a file of UTF-8 with a byte order mark.
        return rules(
            in: text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text,
            of: path
        )
    }

    /// The rules of a text.
    ///
    /// - Parameters:
    ///   - text: The contents of a file.
    ///   - path: The path of the file.
    /// - Returns: The rules; at least one.
    static func rules(in text: String, of path: String) -> [RuleText] {
        // By bytes: a carriage return and a line feed are one character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        var parts: [(start: Int, lines: ArraySlice<String>)] = []
        var start = 0
        for (index, line) in lines.enumerated() where line.withoutOuterBlanks == "---" {
            parts.append((start, lines[start..<index]))
            start = index + 1
        }
        parts.append((start, lines[start...]))
        let written = parts.filter { part in part.lines.contains { !isRemark($0.withoutOuterBlanks) } }
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let name = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        return (written.isEmpty ? [parts[0]] : written).enumerated().map { number, part in
            let facts = header(of: part.lines)
            let body = part.lines.joined(separator: "\n")
            return RuleText(
                name: facts["name"] ?? (written.count > 1 ? "\(name)-\(number + 1)" : name),
                summary: facts["description"] ?? "",
                severity: facts["severity"],
                text: body,
                linesBefore: part.start,
                file: path
            )
        }
    }

    private static func isRemark(_ line: String) -> Bool { line.isEmpty || line.hasPrefix("//") }

    /// What the comments before a rule say of it.
    private static func header(of lines: ArraySlice<String>) -> [String: String] {
        var facts: [String: String] = [:]
        for line in lines.lazy.map(\.withoutOuterBlanks).prefix(while: isRemark) {
            let sides = line.drop { $0 == "/" }.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { continue }
            let key = sides[0].withoutOuterBlanks.lowercased()
            let value = sides[1].withoutOuterBlanks
            if !value.isEmpty, facts[key] == nil { facts[key] = value }
        }
        return facts
    }
}
