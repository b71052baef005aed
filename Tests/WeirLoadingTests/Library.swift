import Foundation

/// A library in a temporary folder, built from C for one test.
struct Library {
    let path: String

    /// Compiles a library.
    ///
    /// - Parameter source: C; the header of the boundary is included.
    /// - Throws: When the compiler refuses it.
    init(_ source: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("weir-library-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("plugin.c")
        try Data(("#include \"weir_plugin.h\"\n" + source).utf8).write(to: file)
        path = folder.appendingPathComponent("plugin.so").path
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-I", Self.headers, "-o", path, file.path]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }

    func remove() {
        try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
    }

    private static let headers = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Core/CWeirPlugin/include").path

    /// Where the build put the libraries of the built-in plugins: beside the tests.
    static var builtFolder: URL { Bundle.main.bundleURL }
}
