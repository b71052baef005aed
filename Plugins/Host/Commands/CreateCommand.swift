internal import WeirCore
internal import WeirFiles

/// Writes the package of a new plugin.
struct CreateCommand {
    private let template: PluginTemplate
    private let folder: String

    /// Reads what follows `weir create`.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - programPath: Where this program is, which tells where Weir's package is when it was built there.
    /// - Throws: ``HostError`` when it cannot be understood.
    init(_ words: [String], programPath: String) throws(HostError) {
        let arguments = try Arguments(words, names: [("weir", true), ("help", false)], topic: "create")
        guard arguments.places.first == "plugin" else {
            throw .usage("weir can create a plugin: 'weir create plugin NAME'")
        }
        guard arguments.places.count == 2 else {
            throw .usage("name the plugin: 'weir create plugin NAME', such as 'hot-spots'")
        }
        let name = arguments.places[1]
        guard Self.isName(name) else {
            throw .usage(
                "'\(name)' is no name for a plugin; use lower-case letters, digits and single dashes, such as 'hot-spots'"
            )
        }
        let weirPath: String
        if let given = arguments.options["weir"] {
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
        guard !Self.isTaken(template) else {
            throw .usage("'\(name)' would collide with a module or a package that plugins need; take another name")
        }
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
        return parts.allSatisfy { part in
            part.first.map { ("a"..."z").contains($0) } ?? false
                && part.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) }
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

    /// Writes the files.
    ///
    /// - Returns: What to do next, for people.
    /// - Throws: ``HostError`` when one cannot be written; nothing that exists is changed.
    func run() throws(HostError) -> String {
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
                try FileTransport().openSink(address).write(Array(text.utf8).span)
            } catch {
                throw HostError(.cannotCreate, "\(error)")
            }
        }
        return """
            wrote the package of the plugin '\(template.name)'; try it:
              cd \(folder)
              swift test
              swift build -c release
              weir run .build/release/lib\(template.typeName)Plugin.so --from demo

            """
    }
}
