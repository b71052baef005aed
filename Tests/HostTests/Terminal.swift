#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    /// A terminal that a test looks at.
    struct Terminal {
        /// What the terminal shows, to be read.
        let screen: Int32

        /// What a program has as its standard streams.
        let side: FileHandle

        init() throws {
            // posix_openpt(3) and its sisters are hidden from Swift; this is what they do.
            let (unlock, askForNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
            screen = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var isLocked: Int32 = 0
            var number: Int32 = 0
            try #require(unsafe ioctl(screen, unlock, &isLocked) == 0)
            try #require(unsafe ioctl(screen, askForNumber, &number) == 0)
            let descriptor = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(descriptor >= 0)
            side = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
    }
#endif
