/// Has the compiler check the closure of a condition by itself.
///
/// The compiler checks closures of one expression together with the whole chain that they are part of, and the time grows
/// exponentially with the operators in them. It checks the closure of a parameter with a result builder apart, after
/// what stands before it, so that long chains are checked fast and a mistake is named where it is. The builder changes
/// nothing else: the closure returns the value of its expression. Use it for the parameters of your own operators:
///
///     extension EventStream {
///         func reject(@ConditionBuilder _ condition: @escaping @Sendable (Element) -> Bool) -> some EventStream<Element> {
///             filter { !condition($0) }
///         }
///     }
@resultBuilder
public enum ConditionBuilder {
    /// Takes the value of an expression.
    @inlinable
    @inline(__always)
    public static func buildExpression(_ value: Bool) -> Bool { value }

    /// Takes an expression that does not return, such as `fatalError()`.
    @inlinable
    @inline(__always)
    public static func buildExpression(_ value: Never) -> Bool {}

    /// Takes the value of the closure.
    @inlinable
    @inline(__always)
    public static func buildBlock(_ value: Bool) -> Bool { value }

    /// Takes the value of the first branch of an `if` or `switch`.
    @inlinable
    @inline(__always)
    public static func buildEither(first value: Bool) -> Bool { value }

    /// Takes the value of another branch of an `if` or `switch`.
    @inlinable
    @inline(__always)
    public static func buildEither(second value: Bool) -> Bool { value }
}
