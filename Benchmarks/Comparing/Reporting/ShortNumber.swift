/// A number with three significant digits, or as it is when it is whole.
func short(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 99.95, value != value.rounded() else {
        return value.isFinite ? String(Int(value.rounded())) : "\(value)"
    }
    var unit = 10
    while unit < 10_000, (value.magnitude * Double(unit)).rounded() < 100 { unit *= 10 }
    let scaled = Int((value.magnitude * Double(unit)).rounded())
    let decimals = String(unit + scaled % unit).dropFirst()
    return "\(value < 0 ? "-" : "")\(scaled / unit).\(decimals)"
}
