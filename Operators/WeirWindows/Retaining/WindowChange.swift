/// An element that enters a window, or leaves it: what `retaining` emits.
///
///     readings.retaining(for: .minutes(1)).subscribe { change in
///         switch change {
///         case .entered(let reading): print("+", reading.celsius)
///         case .left(let reading): print("-", reading.celsius)
///         }
///     }
public enum WindowChange<Element> {
    /// The element is among those that are retained from now on.
    case entered(Element)
    /// The element is no more.
    case left(Element)

    /// The element.
    @inlinable
    public var element: Element {
        switch self {
        case .entered(let element), .left(let element): element
        }
    }

    /// Whether the element has left.
    @inlinable
    public var hasLeft: Bool {
        if case .left = self { true } else { false }
    }
}

extension WindowChange: Sendable where Element: Sendable {}
extension WindowChange: Equatable where Element: Equatable {}
extension WindowChange: Hashable where Element: Hashable {}
