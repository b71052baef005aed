import Testing
import WeirCore
import WeirRecords

@Suite struct OptionValuesTests {
    private static let declarations = [
        OptionDeclaration("threshold", .number(unit: "g", minimum: 0), default: "1", help: ""),
        OptionDeclaration("pause", .duration, default: "500ms", help: ""),
        OptionDeclaration("groups", .integer(1...100), default: "10", help: ""),
        OptionDeclaration("buffer", .byteCount(16...1 << 20), help: ""),
        OptionDeclaration("strict", .flag, default: "false", help: ""),
        OptionDeclaration("unit", .choice(["g", "mg"]), default: "g", help: ""),
        OptionDeclaration("by", .text(placeholder: "FIELD"), help: ""),
        OptionDeclaration("tag", .list(placeholder: "TAG"), default: "a\nb", help: ""),
        OptionDeclaration("columns", .mapping(keys: ["x", "y"]), default: "x=x,y=y", help: ""),
    ]

    private func read(_ name: String, _ text: String) throws(PluginError) -> OptionValues {
        try OptionValues(Self.declarations, given: [name: text])
    }

    private func complaint(_ name: String, _ text: String) -> String? {
        do throws(PluginError) {
            _ = try read(name, text)
            return nil
        } catch {
            guard case .invalidOption(name, let reason) = error else { return "\(error)" }
            return reason
        }
    }

    @Test func whatIsNotGivenHasItsDefaultOrIsAbsent() throws {
        let values = try OptionValues(Self.declarations)
        #expect(values.number("threshold") == 1)
        #expect(values.duration("pause") == .milliseconds(500))
        #expect(values.integer("groups") == 10)
        #expect(values.integerIfGiven("buffer") == nil)
        #expect(!values.flag("strict"))
        #expect(values.text("unit") == "g")
        #expect(values.textIfGiven("by") == nil)
        #expect(values.list("tag") == ["a", "b"])
        #expect(values.mapping("columns") == ["x": "x", "y": "y"])
        #expect(values.given.isEmpty)
    }

    @Test func whatIsGivenIsRead() throws {
        #expect(try read("threshold", "2.5e-1").number("threshold") == 0.25)
        #expect(try read("pause", "0").duration("pause") == .zero)
        #expect(try read("groups", "100").integer("groups") == 100)
        #expect(try read("buffer", "64KiB").integerIfGiven("buffer") == 65_536)
        #expect(try read("strict", "true").flag("strict"))
        #expect(try read("unit", "mg").text("unit") == "mg")
        #expect(try read("by", "a=b,c").textIfGiven("by") == "a=b,c")
        #expect(try read("tag", "c").list("tag") == ["c"], "it replaces the defaults")
        #expect(try read("columns", "y=a=b").mapping("columns") == ["x": "x", "y": "a=b"], "the others keep theirs")
    }

    @Test func whatCannotBeReadIsRefusedInWords() {
        for text in ["", "x", "nan", "inf", "1e400", "1 "] {
            #expect(complaint("threshold", text) == "'\(text)' is not a number (in g, such as 1.5)", "\(text)")
        }
        #expect(complaint("threshold", "-1") == "-1 is below the least value, 0.0")
        for text in ["0", "101", "1.0", "", "x", "99999999999999999999"] {
            #expect(complaint("groups", text) == "'\(text)' is not a whole number from 1 to 100")
        }
        #expect(complaint("buffer", "15") == "15 is not between 16 and 1MiB")
        #expect(complaint("buffer", "2MiB") == "2MiB is not between 16 and 1MiB")
        #expect(complaint("strict", "yes") == "'yes' is not true or false")
        #expect(complaint("unit", "kg") == "'kg' is not one of g, mg")
        #expect(complaint("by", "") == "needs a value")
        #expect(complaint("tag", "a\n") == "needs a value")
        #expect(complaint("columns", "x") == "'x' is not of the form KEY=NAME")
        #expect(complaint("columns", "x=") == "'x=' is not of the form KEY=NAME")
        #expect(complaint("columns", "z=a") == "there is no 'z'; the keys are x, y")
        #expect(complaint("columns", "x=a,x=b") == "'x' is named twice")
        #expect(complaint("missing", "1") == "there is no such option")
    }

    @Test func declarationsFromOutsideAreChecked() {
        #expect(OptionValues.flaw(in: Self.declarations) == nil)
        #expect(
            OptionValues.flaw(in: Self.declarations + Self.declarations.prefix(1)) == "it declares --threshold twice"
        )
        let bad = OptionDeclaration("n", .integer(1...2), default: "3", help: "")
        #expect(OptionValues.flaw(in: [bad])?.contains("'3' is not a whole number from 1 to 2") == true)
    }
}
