// Work of a known size for the compiler's type checker, in terms of the standard library alone. Its time tells how fast
// the machine is: `run` scales the limit of the other programs with it. A change here changes `REFERENCE` there.

func conditions(_ a: Double, _ b: Double, _ c: Int) -> Bool {
    let sum = -(1 + a) * 2 + (3 - b) / 4 + (5 * a - 6) * (7 + b)
    let mean = (a + b * 2 + 3 * a - 4 / b) / (2 + 3 * 4 - 5)
    return sum * 2 - mean / 3 > 4 + a * 5 && a - 6 * b < 7 / mean + 8 || c % 9 == 10 - c && -a > b + 11
}

func pairs(_ samples: [(place: String, celsius: Double)]) -> [(String, Double)] {
    samples
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        .map { ($0.place, $0.celsius * 1.8 + 32) }
        .sorted { $0.1 < $1.1 || $0.1 == $1.1 && $0.0 > $1.0 }
}

func numbers(_ samples: [Double]) -> [Double] {
    samples.filter { $0 > 10 }.map { $0 * 2 + 1 }.filter { $0 < 100 }.map { ($0 - 32) / 1.8 }
}

func moreConditions(_ x: Double, _ y: Double, _ n: Int) -> Bool {
    let area = (x - 2) * (y + 3) - 4 * x * y / 5 + (6 - x) * (7 - y) / -(8 + x * 9)
    let edge = 2 * (x + y) - 10 / x + 11 * (y - 12) - (13 + x) / (14 - y)
    return area / 2 - edge * 3 < 4 - x * 6 || x + 7 / y > 8 * edge - 9 && n * 10 != 11 - n % 12 || -y < x * 13
}

func morePairs(_ samples: [(place: String, celsius: Double)]) -> [(Double, String)] {
    samples
        .map { ($0.celsius / 2 - 16, $0.place + "!") }
        .filter { $0.0 * 3 < 150 || $0.0 - 5 > 40 }
        .sorted { $0.0 > $1.0 || $0.0 == $1.0 && $0.1 < $1.1 }
}

func moreNumbers(_ samples: [Double]) -> [Double] {
    samples.map { $0 / 3 - 2 }.filter { $0 < 20 }.map { ($0 + 40) * 1.5 }.filter { $0 > 30 }
}
