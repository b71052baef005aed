package import WeirRecords

/// What a run knows at one moment: enough for another run to go on from there.
///
/// What consumers keep is opaque here: a section of bytes for each.
package struct RunCheckpoint: Sendable, Equatable {
    /// Where an input is.
    package struct Input: Sendable, Equatable {
        /// How to find the next record again.
        package enum Place: Sendable, Equatable {
            /// Nothing can be found again: what comes is read.
            case unknown
            /// Behind some bytes of the source.
            case bytes(BytePlace)
            /// Behind some records and rejections from the start on, which are read again and left out.
            case records(RecordPlace)
        }

        /// What it is called.
        package var name: String
        package var place: Place

        /// How many bytes it gave.
        package var byteCount: Int64

        package init(name: String, place: Place, byteCount: Int64) {
            self.name = name
            self.place = place
            self.byteCount = byteCount
        }
    }

    /// A place between two records that is known by bytes.
    package struct BytePlace: Sendable, Equatable {
        /// Where the source was.
        package var position: SourcePosition

        /// What stands before the records and tells how to read them, such as a header.
        package var prelude: [UInt8]

        /// What was read from the source and not decoded.
        package var unread: [UInt8]

        /// The number of the line that comes next.
        package var line: UInt64

        package init(position: SourcePosition, prelude: [UInt8], unread: [UInt8], line: UInt64) {
            self.position = position
            self.prelude = prelude
            self.unread = unread
            self.line = line
        }
    }

    /// A place between two records that is known by their number.
    package struct RecordPlace: Sendable, Equatable {
        /// Which file it was, and how far it was read, where it is one.
        package var position: SourcePosition
        package var records: UInt64
        package var rejections: UInt64

        package init(position: SourcePosition, records: UInt64, rejections: UInt64) {
            self.position = position
            self.records = records
            self.rejections = rejections
        }
    }

    /// What is in an output that can be cut back.
    package struct Output: Sendable, Equatable {
        /// The option that names it, and its place.
        package var name: String

        /// How many bytes it has.
        package var byteCount: Int64

        /// Which file it is; 0 where there is none yet.
        package var node: UInt64

        /// How many bytes it has when the inputs have ended and everything is written; `nil` before that.
        package var finalByteCount: Int64?

        package init(
            name: String,
            byteCount: Int64,
            node: UInt64,
            finalByteCount: Int64? = nil
        ) {
            self.name = name
            self.byteCount = byteCount
            self.node = node
            self.finalByteCount = finalByteCount
        }
    }

    /// What a consumer keeps.
    package struct Consumer: Sendable, Equatable {
        package var name: String

        /// What its bytes can be given back to: a consumer with the same text.
        package var fingerprint: String

        /// How many partial matches are among it, where that is known.
        package var partialMatches: Int?

        /// A part of the file that it was read from.
        package var bytes: ArraySlice<UInt8>

        package init(name: String, fingerprint: String, partialMatches: Int?, bytes: ArraySlice<UInt8>) {
            self.name = name
            self.fingerprint = fingerprint
            self.partialMatches = partialMatches
            self.bytes = bytes
        }
    }

    /// Something else that is kept, such as records that wait to be put in order.
    package struct Part: Sendable, Equatable {
        package var name: String
        package var bytes: [UInt8]

        package init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// A setting of the run that the state depends on.
    package struct Setting: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// How many were written before this one, and by the runs before.
    package var number: UInt64 = 0

    /// The version of the program.
    package var program = ""

    /// When it was taken, in nanoseconds since 1970.
    package var time: Int64 = 0

    /// Whether the inputs had ended and everything was written.
    package var isFinished = false

    package var settings: [Setting] = []
    package var inputs: [Input] = []
    package var outputs: [Output] = []
    package var counts: [(name: String, value: UInt64)] = []
    package var consumers: [Consumer] = []
    package var parts: [Part] = []

    package init() {}

    package static func == (one: RunCheckpoint, other: RunCheckpoint) -> Bool { one.encoded() == other.encoded() }
}
