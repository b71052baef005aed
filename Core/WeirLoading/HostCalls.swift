internal import CWeirPlugin
internal import WeirCore

/// What a plugin tells during a call.
@safe
final class HostCalls {
    private(set) var failure: (option: String, reason: String)?
    private(set) var schema = RecordSchema(fields: [])
    private(set) var rejections: [(line: UInt64, reason: String, start: Int, length: Int)] = []
    private(set) var counts: [NamedCount]
    private(set) var bytes: [UInt8] = []
    private let output: MatchOutput?

    init(_ output: MatchOutput? = nil, _ counts: [NamedCount] = []) {
        self.output = output
        self.counts = counts
    }

    /// The bytes that a call hands over.
    @unsafe
    static func bytes(_ call: (UnsafePointer<weir_host>) -> Void) -> [UInt8] {
        let calls = HostCalls()
        unsafe calls.during(call)
        return calls.bytes
    }

    /// Makes a call during which this object listens.
    @unsafe
    func during<Result>(_ call: (UnsafePointer<weir_host>) -> Result) -> Result {
        // `self` lives until the call is over, and the plugin may not keep the context.
        var host = unsafe weir_host(
            context: Unmanaged.passUnretained(self).toOpaque(),
            fail: { context, option, reason in
                unsafe HostCalls.of(context).failure = (option.string, reason.string)
            },
            take_schema: { context, fields, count, unit in
                unsafe HostCalls.of(context).takeSchema(UnsafeBufferPointer(start: fields, count: count), unit)
            },
            take_lines: { context, lines, count in
                unsafe HostCalls.of(context).output?.write(
                    lines: UnsafeBufferPointer(start: lines.bytes, count: lines.length),
                    count: count
                )
            },
            reject: { context, line, start, length, reason in
                unsafe HostCalls.of(context).rejections.append((line, reason.string, Int(start), Int(length)))
            },
            take_count: { context, index, name, value in
                unsafe HostCalls.of(context).takeCount(index, name.string, value)
            },
            take_bytes: { context, bytes in
                unsafe HostCalls.of(context).bytes.append(
                    contentsOf: UnsafeBufferPointer(start: bytes.bytes, count: bytes.length)
                )
            }
        )
        return withExtendedLifetime(self) { unsafe call(&host) }
    }

    @unsafe
    private static func of(_ context: UnsafeMutableRawPointer?) -> HostCalls {
        guard let context = unsafe context else {
            preconditionFailure("a plugin must hand back the context that it was given")
        }
        return unsafe Unmanaged<HostCalls>.fromOpaque(context).takeUnretainedValue()
    }

    @unsafe
    private func takeSchema(_ fields: UnsafeBufferPointer<weir_field>, _ nanoseconds: Int64) {
        let unit = TimeUnit.allCases.first { $0.nanoseconds == nanoseconds }
        schema = unsafe RecordSchema(
            fields: fields.map { unsafe RecordSchema.Field($0.name.string, isRequired: $0.is_required != 0) },
            timeUnit: unit ?? .milliseconds,
            timeField: fields.firstIndex { unsafe $0.is_time != 0 }
        )
    }

    private func takeCount(_ index: Int, _ name: String, _ value: UInt64) {
        guard let output, index <= counts.count else { return }
        if index == counts.count { counts.append(output.makeCount(of: name)) }
        let before = counts[index].value
        if value > before { counts[index].add(value - before) }
    }
}
