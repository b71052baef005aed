import Foundation
import Testing

extension WeirProcess {
    /// Compiles a library from C in the folder that the program runs in.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - source: C.
    /// - Returns: The library's path.
    /// - Throws: When the compiler refuses it.
    func library(_ name: String, _ source: String) throws -> String {
        try file(name + ".c", source)
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let headers = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Core/CWeirPlugin/include").path
        compiler.arguments = ["clang", "-O1", "-shared", "-fPIC", "-I", headers, "-o", name, name + ".c"]
        compiler.currentDirectoryURL = URL(fileURLWithPath: folder)
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        return folder + "/" + name
    }

    /// A plugin `name` that does something with each batch `b`, and then finds nothing.
    static func plugin(_ name: String, receiving body: String) -> String {
        """
        #include "weir_plugin.h"
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #define TEXT(t) {(const uint8_t *)t, sizeof t - 1}
        static int instance;
        static volatile int counter;
        static const weir_field field = {TEXT("time"), 1, 1};
        static int overflow(int n) { volatile char big[1000]; big[0] = (char)n; return overflow(n + 1) + big[0]; }
        static void *start(const weir_setting *s, size_t n, const weir_host *h)
            { (void)s; (void)n; h->take_schema(h->context, &field, 1, 1000000); return &instance; }
        static uint32_t receive(void *i, const weir_batch *b, const weir_host *h) {
            (void)i; (void)b; (void)h; (void)overflow; (void)counter;
            \(body)
            return 1;
        }
        static void finish(void *i, weir_text f, const weir_host *h) { (void)i; (void)f; (void)h; }
        static void done(void *i) { (void)i; }
        static void demo(uint64_t s, const weir_host *h)
            { (void)s; const weir_text t = TEXT("time\\n1\\n2\\n"); h->take_bytes(h->context, t); }
        static void partition(const weir_setting *s, size_t n, const weir_host *h)
            { (void)s; (void)n; const weir_text t = TEXT("time"); h->take_bytes(h->context, t); }
        static const weir_plugin table = {.version = 1, .size = sizeof table, .name = TEXT("\(name)"),
            .start = start, .receive = receive, .finish = finish, .release = done, .demo = demo,
            .partition_field = partition};
        const weir_plugin *weir_plugin_entry(uint32_t v) { (void)v; return &table; }

        """
    }
}
