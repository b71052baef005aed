import Foundation

/// The seeds of a property's random trials.
///
/// A property is checked by all of its trials where `WEIR_LONG_TESTS` is set, by a fifth of them without, and by a
/// hundredth where `WEIR_SHORT_TESTS` is set: the thread sanitizer makes everything slow and finds nothing new in the
/// two hundredth trial on one thread.
///
/// - Parameter count: How many trials there are.
/// - Returns: The first seeds, at least one.
public func seeds(_ count: UInt64) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    if environment["WEIR_LONG_TESTS"] != nil { return 0..<count }
    return 0..<max(1, count / (environment["WEIR_SHORT_TESTS"] != nil ? 100 : 5))
}
