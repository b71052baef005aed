internal import WeirFiles
internal import WeirSystem

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The program `weir`.
@main
enum Main {
    static func main() {
        CrashReport.begin(program: "weir")
        StandardStream.keepNumbers()
        // Writing to a pipe without a reader then fails, and the program can end in order.
        signal(SIGPIPE, SIG_IGN)
        // So does writing to a file that has become as long as this user's may.
        signal(SIGXFSZ, SIG_IGN)
        exit(Host().run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
