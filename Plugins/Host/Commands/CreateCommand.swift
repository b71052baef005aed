internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Writes the package of a new plugin: `weir create`.
struct CreateCommand: Command {
    static let name = "create"
    static let operands = "plugin NAME"
    static let summary = "Write the package of a new plugin"
    static let examples: [HelpPage.Example] = [
        ("weir create plugin hot-spots", ""), ("weir create plugin hot-spots --weir ../weir", ""),
    ]
    static let options = [weirOption]
    static let firstWords = ["plugin"]
    static let remark = """
        The package has the plugin, a library that weir can load, and a test. The name
        has lower-case letters, digits and single dashes; the folder of that name must
        not exist yet.

        A plugin runs within weir: one that crashes ends the run, with the matches of
        the records at hand; those of earlier records were written. Run plugins that you
        do not trust in a run of their own.
        """

    private static let weirOption = OptionDeclaration(
        "weir",
        .text(placeholder: "PATH"),
        help: "the folder of Weir's package (default: where this program was built)"
    )

    private let template: PluginTemplate
    private let folder: String

    /// What calls this program in a shell.
    private let program: String

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        // Where this program is tells where Weir's package is when it was built there.
        let programPath = CommandLine.arguments.first ?? ""
        let arguments = try Arguments(words, of: Self.self)
        guard arguments.places.first == "plugin" else {
            throw .usage("weir can create a plugin: 'weir create plugin NAME'")
        }
        guard arguments.places.count == 2 else {
            throw .usage("name the plugin: 'weir create plugin NAME', such as 'hot-spots'")
        }
        let name = arguments.places[1]
        guard Self.isName(name) else {
            throw .usage(
                "'\(name)' is no name for a plugin; use lower-case letters a to z, and behind the first digits and single dashes, such as 'hot-spots-2'"
            )
        }
        let weirPath: String
        if let given = arguments.options[Self.weirOption] {
            guard let path = FileSystem.absolutePath(given), Self.isPackage(path) else {
                throw .usage("--weir: there is no package of Weir in '\(given)'")
            }
            weirPath = path
        } else {
            guard let path = Self.package(of: programPath) else {
                throw .usage("this program was moved away from Weir's package; say where that is, with --weir PATH")
            }
            weirPath = path
        }
        template = PluginTemplate(name: name, weirPath: weirPath)
        folder = name
        program = Self.word(for: programPath)
        guard !Self.isTaken(template) else {
            throw .usage("'\(name)' would collide with a module or a package that plugins need; take another name")
        }
    }

    /// What a shell takes for this program: its path where it was not installed, since no search path has it then.
    private static func word(for programPath: String) -> String {
        guard let path = FileSystem.absolutePath(programPath), path.contains("/.build/") else { return "weir" }
        let isPlain = path.utf8.allSatisfy { byte in
            byte >= 0x80 || "/._-+".utf8.contains(byte) || Character(Unicode.Scalar(byte)).isLetter
                || Character(Unicode.Scalar(byte)).isNumber
        }
        return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }

    /// Whether a name is that of a module that the plugin needs or may need, is no name in Swift, or is that of Weir's own
    /// folder, after which the package manager calls Weir.
    private static func isTaken(_ template: PluginTemplate) -> Bool {
        let taken: Set = [
            "Any", "Dispatch", "Foundation", "Glibc", "Self", "Swift", "Synchronization", "Testing", "XCTest",
        ]
        return taken.contains(template.typeName) || template.typeName.hasPrefix("Weir")
            || template.name == template.weirName.lowercased()
    }

    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = name.first, ("a"..."z").contains(first) else { return false }
        return parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) }
        }
    }

    /// Where the package is that a program was built in.
    private static func package(of programPath: String) -> String? {
        guard let path = FileSystem.absolutePath(programPath), let range = path.firstRange(of: "/.build/") else {
            return nil
        }
        let folder = String(path[..<range.lowerBound])
        return isPackage(folder) ? folder : nil
    }

    private static func isPackage(_ folder: String) -> Bool {
        FileSystem.exists(folder + "/Core/CWeirPlugin") && FileSystem.exists(folder + "/Package.swift")
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        guard !FileSystem.exists(folder) else {
            throw HostError(
                .cannotCreate,
                "there is something called '\(folder)' already; remove it, or take another name"
            )
        }
        for (path, text) in template.files {
            do throws(TransportError) {
                try FileSystem.createFolders(for: "\(folder)/\(path)")
                let address = FileTransport.address(ofPath: "\(folder)/\(path)")
                try FileTransport().openSink(address).write(Array(text.utf8))
            } catch {
                throw HostError(.cannotCreate, "\(error)")
            }
        }
        context.console.write(
            """
            wrote the package of the plugin '\(template.name)'; try it:
              cd \(folder)
              swift test
              swift build -c release
              \(program) run .build/release/lib\(template.typeName)Plugin.\(PluginTemplate.librarySuffix) --from demo
            The plugin is in Sources/\(template.typeName); change its test with it, in Tests/\(template.typeName)Tests.

            """
        )
        return .done
    }
}
