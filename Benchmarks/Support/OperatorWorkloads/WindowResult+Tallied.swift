public import CommonStream
public import WeirWindows

extension WindowResult: Tallied where Value == Double {
    public var number: Double { value }
}
