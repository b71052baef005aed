internal import WeirFiles
package import WeirRecords

// Recordings that are read on where another run was: what was handed out is read again and left out.
extension RecordingTransport: ResumableTransport {
    package func canResume(_ address: String) -> Bool {
        guard let parts = try? TransportAddress(ofSource: address, self) else { return false }
        // The times of one that is read at its pace would have to pass again.
        return parts.options.text("speed") == "max" && SourcePosition(ofFile: parts.place, handedOut: 0) != nil
    }

    package func openSource(
        _ address: String,
        at position: SourcePosition
    ) throws(TransportError) -> any TransportSource {
        let path = try TransportAddress(ofSource: address, self).place
        try position.checkFile(path)
        let source = try openSource(address)
        try source.skip(position.offset, address: path)
        var position = position
        position.fileByteCount = SourcePosition(ofFile: path, handedOut: 0)?.fileByteCount ?? 0
        return CountedSource(source, at: position)
    }

    package func hasGrown(_ address: String, since position: SourcePosition) -> Bool {
        guard let path = try? TransportAddress(ofSource: address, self).place,
            let now = SourcePosition(ofFile: path, handedOut: 0)
        else { return true }
        return now.node != position.node || now.fileByteCount != position.fileByteCount
    }
}
