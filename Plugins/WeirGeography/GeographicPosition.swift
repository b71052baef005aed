#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A place on the Earth, in degrees: north and east are positive.
public struct GeographicPosition: Sendable, Hashable {
    /// Between -90 and 90.
    public let latitude: Double

    /// Between -180 and 180.
    public let longitude: Double

    /// Creates a position, unless the numbers are no place on the Earth.
    ///
    /// - Parameters:
    ///   - latitude: In degrees; north is positive.
    ///   - longitude: In degrees; east is positive.
    public init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The mean radius of the Earth in metres, (2a + b) / 3 of the ellipsoid WGS 84.
    static let earthRadius = 6_371_008.8

    /// The length of the great circle between two positions, in metres.
    ///
    /// The Earth is taken for a sphere, which is wrong by 0.5 % at most. The haversine form keeps its precision for
    /// positions that are close together (Sinnott, "Virtues of the haversine", Sky and Telescope 68, 1984).
    public func distance(to other: GeographicPosition) -> Double {
        let radians = Double.pi / 180
        let latitudes = sin((other.latitude - latitude) * radians / 2)
        let longitudes = sin((other.longitude - longitude) * radians / 2)
        let haversine =
            latitudes * latitudes
            + cos(latitude * radians) * cos(other.latitude * radians) * longitudes * longitudes
        return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
    }
}
