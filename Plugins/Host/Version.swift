/// The version of the package.
enum Version {
    static let text = "0.1.0"
}
