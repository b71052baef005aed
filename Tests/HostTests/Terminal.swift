#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    /// A terminal that a test looks at.
    struct Terminal {
        /// What the terminal shows, to be read; what is written there is typed.
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

        /// Makes the terminal another size; the system tells the program in it.
        func resize(columns: UInt16, rows: UInt16) {
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            #expect(unsafe ioctl(screen, UInt(TIOCSWINSZ), &size) == 0)
        }

        /// Presses keys.
        func type(_ keys: String) {
            let bytes = Array(keys.utf8)
            #expect(unsafe write(screen, bytes, bytes.count) == bytes.count)
        }
    }

    /// What stands on a terminal after some bytes, as far as the program uses its language.
    struct ShownText {
        private(set) var rows: [[Character]]
        private(set) var isOtherScreen = false
        private(set) var isCursorShown = true
        /// Whether a line was longer than the terminal is wide, or the screen was scrolled.
        private(set) var hasOverflown = false

        private let columns: Int
        private var row = 0
        private var column = 0

        init(columns: Int, rows: Int, _ text: String) {
            self.columns = columns
            self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
            var rest = text.unicodeScalars[...]
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\r": column = 0
                case "\n": moveDown()
                case "\u{1B}": follow(&rest)
                default: put(Character(scalar))
                }
            }
        }

        /// The lines without the spaces at their ends.
        var lines: [String] {
            rows.map { row in
                var row = row[...]
                while row.last == " " { row.removeLast() }
                return String(row)
            }
        }

        private mutating func moveDown() {
            row += 1
            guard row == rows.count else { return }
            hasOverflown = true
            row -= 1
            rows.removeFirst()
            rows.append(Array(repeating: " ", count: columns))
        }

        private mutating func put(_ character: Character) {
            guard column < columns else {
                hasOverflown = true
                return
            }
            rows[row][column] = character
            column += 1
        }

        private mutating func follow(_ rest: inout Substring.UnicodeScalarView) {
            guard rest.popFirst() == "[" else { return }
            var parameters = ""
            while let scalar = rest.popFirst() {
                guard ("@"..."~").contains(Character(scalar)) else {
                    parameters.unicodeScalars.append(scalar)
                    continue
                }
                switch (Character(scalar), parameters) {
                case ("H", ""): (row, column) = (0, 0)
                case ("J", "2"): rows = rows.map { $0.map { _ in " " } }
                // With the cursor behind the last column, the last character would go.
                case ("K", ""): for index in min(column, columns - 1)..<columns { rows[row][index] = " " }
                case ("h", "?1049"), ("l", "?1049"): isOtherScreen = scalar == "h"
                case ("h", "?25"), ("l", "?25"): isCursorShown = scalar == "h"
                default: break
                }
                return
            }
        }
    }
#endif
