import Testing
import WeirQueries

struct AddressBlockTests {
    @Test(arguments: [
        ("192.168.0.0/16", "192.168.152.12", true), ("10.0.0.0/8", "192.168.152.12", false),
        ("0.0.0.0/0", "255.255.255.255", true), ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3/32", "10.1.2.4", false),
        ("10.1.2.200/25", "10.1.2.129", true), ("fe80::/10", "fe80::1", true), ("fe80::/10", "fec0::1", false),
        ("::/0", "2001:db8::ff00:42:8329", true), ("2001:db8::/32", "2001:db8:0:0:1:2:3:4", true),
        ("::1/128", "::1", true),
        ("::ffff:10.0.0.0/104", "::ffff:10.9.9.9", true), ("0.0.0.0/0", "::1", false), ("::/0", "1.2.3.4", false),
        ("10.0.0.0/8", "10.0.0", false), ("10.0.0.0/8", "", false), ("10.0.0.0/8", "10.0.0.256", false),
    ])
    func contains(_ block: String, _ address: String, _ expected: Bool) throws {
        #expect(try #require(AddressBlock(block)).contains(address) == expected)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/-1", "10.0.0.0/8/8", "a.b.c.d", "::/129", ":::",
        "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "::g", "+1::", "1:", "::1.2.3",
        "1.2.3.4.5",
    ])
    func refused(_ block: String) { #expect(AddressBlock(block) == nil) }
}
