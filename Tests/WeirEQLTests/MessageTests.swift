import Testing
import WeirEQL
import WeirRecords

/// What is said of mistakes that people make, and where.
struct MessageTests {
    private func check(
        _ query: String,
        _ place: (line: Int, column: Int, length: Int),
        _ message: String,
        _ schema: QuerySchema = QuerySchema()
    ) {
        do throws(QueryError) {
            let plan = try EQL().compile(query, against: schema)
            Issue.record("\(query) is accepted: \(plan)")
        } catch {
            #expect(error.message == message)
            #expect((error.line, error.column, error.length) == place, "\(query)")
        }
    }

    @Test(arguments: [
        (#""#, 1, 1, 0, #"expected a category, such as 'process' or 'any'; the query ends here"#),
        (#"process"#, 1, 8, 0, #"expected 'where' after the category, as in 'any where true'; the query ends here"#),
        (#"process where"#, 1, 14, 0, #"expected a condition after 'where', such as 'true'; the query ends here"#),
        (#"where true"#, 1, 7, 4, #"expected 'where' after the category, as in 'any where true', found 'true'"#),
        (
            #"process were true"#, 1, 9, 4,
            #"expected 'where' after the category, as in 'any where true', found 'were'; did you mean 'where'?"#
        ),
        (
            #"process.name where true"#, 1, 1, 8,
            #"a category with other characters than letters, digits and '_' stands in double quotes"#
        ),
        (
            #"my-process where true"#, 1, 1, 3,
            #"a category with other characters than letters, digits and '_' stands in double quotes"#
        ),
        (#"`process` where true"#, 1, 1, 9, #"a category stands in double quotes, not in backticks"#),
        (#"5 where true"#, 1, 1, 1, #"expected a category, such as 'process' or 'any', found '5'"#),
        (#"process where 5"#, 1, 15, 1, #"'where' takes a condition, found '5', a number"#),
        (#"process where "yes""#, 1, 15, 5, #"'where' takes a condition, found '"yes"', a text"#),
        (#"process where pid + 1"#, 1, 15, 7, #"'where' takes a condition, found 'pid + 1', a number"#),
        (#"process where name = "a""#, 1, 20, 1, #"write '==' for '=', or ':' to ignore case"#),
        (#"process where name == 'a'"#, 1, 23, 1, #"texts are written in double quotes, not in single quotes"#),
        (#"process where name == "a"#, 1, 23, 2, #"the text has no end on its line; write '"' after it"#),
        (##"process where name == """a"##, 1, 23, 4, #"the text has no end on its line; write '"""' after it"#),
        (#"process where `name == "a""#, 1, 15, 12, #"the name has no end; write '`' after it"#),
        (
            #"process where name == "a\q""#, 1, 25, 2,
            #"an escape is one of \n \r \t \b \f \\ \" \u{...}; write '\\' for a backslash"#
        ),
        (
            #"process where name == "\u{110000}""#, 1, 24, 10,
            #"a character is written as \u{...} with 2 to 8 hexadecimal digits, such as \u{200f}"#
        ),
        (#"process where name == ?"a""#, 1, 23, 2, ##"raw strings are written with three double quotes: """...""""##),
        (#"process where name == "a" && pid == 1"#, 1, 27, 2, #"write 'and' for '&&'"#),
        (#"process where name == "a" || pid == 1"#, 1, 27, 2, #"write 'or' for '||'"#),
        (#"process where name =~ "a""#, 1, 20, 2, #"write 'regex' for '=~', or ':' to ignore case"#),
        (#"process where name <> "a""#, 1, 20, 2, #"write '!=' for '<>'"#),
        (#"process where !ok"#, 1, 15, 1, #"write 'not' for '!'"#),
        (
            #"process where name == "a" AND pid == 1"#, 1, 27, 3,
            #"expected 'and', 'or', '|' or the end of the query, found 'AND'; did you mean 'and'?"#
        ),
        (
            #"process where name == "a" adn pid == 1"#, 1, 27, 3,
            #"expected 'and', 'or', '|' or the end of the query, found 'adn'; did you mean 'and'?"#
        ),
        (
            #"process where name == "a" pid == 1"#, 1, 27, 3,
            #"expected 'and', 'or', '|' or the end of the query, found 'pid'"#
        ),
        (#"process where (name == "a""#, 1, 27, 0, #"expected ')'; the query ends here"#),
        (
            #"process where (name == "a" or"#, 1, 30, 0,
            #"expected a value: a field, a text, a number or a function; the query ends here"#
        ),
        (#"process where name == "a")"#, 1, 26, 1, #"expected 'and', 'or', '|' or the end of the query, found ')'"#),
        (
            #"process where name == ("a", "b")"#, 1, 27, 1,
            #"expected ')', found ','; lists of values follow 'in', ':', 'like' and 'regex'"#
        ),
        (
            #"process where name in "a""#, 1, 23, 3,
            #"expected a list in parentheses after 'in', such as (1, 2), found '"a"'"#
        ),
        (#"process where name in ()"#, 1, 24, 1, #"expected a value in the list of 'in', found ')'"#),
        (#"process where name in ("a" "b")"#, 1, 28, 3, #"expected ',' or ')' in the list of 'in', found '"b"'"#),
        (#"process where name not "a""#, 1, 24, 3, #"expected 'in' after 'not', found '"a"'"#),
        (#"process where name not like "a*""#, 1, 24, 4, #"write 'not' before the field: 'not FIELD like ...'"#),
        (#"process where name : 5"#, 1, 22, 1, #"expected a text after ':', or several in parentheses, found '5'"#),
        (
            #"process where name : other"#, 1, 22, 5,
            #"expected a text after ':', or several in parentheses, found 'other'"#
        ),
        (
            #"process where name like (other, "a")"#, 1, 26, 5,
            #"expected a text after 'like', or several in parentheses, found 'other'"#
        ),
        (#"process where name regex "(""#, 1, 28, 0, #"expected a character after '('"#),
        (
            #"process where name regex "a{2,1}""#, 1, 32, 0,
            #"the first number of repetitions is larger than the second"#
        ),
        (#"process where 1 < pid < 5"#, 1, 23, 1, #"comparisons cannot be chained; write 'a < b and b < c'"#),
        (#"process where a == b == c"#, 1, 22, 2, #"comparisons cannot be chained; write 'a < b and b < c'"#),
        (#"process where "abc" > 5"#, 1, 23, 1, #"cannot compare '"abc"', a text, with '5', a number"#),
        (
            #"process where length("a") == "1""#, 1, 30, 3,
            #"cannot compare 'length("a")', a number, with '"1"', a text"#
        ),
        (#"process where true < false"#, 1, 15, 4, #"'<' compares numbers or texts; true and false have no order"#),
        (
            #"process where pid == 99999999999999999999"#, 1, 22, 20,
            #"whole numbers are from -9223372036854775808 to 9223372036854775807"#
        ),
        (#"process where pid == 5m"#, 1, 22, 2, #"expected a number such as 5, 0.5 or 1e6, found '5m'"#),
        (#"process where pid == 0x10"#, 1, 22, 4, #"expected a number such as 5, 0.5 or 1e6, found '0x10'"#),
        (
            #"process where args[0] == "a""#, 1, 19, 1,
            #"a value of a list has no place; a comparison holds where it does for one of the values"#
        ),
        (
            #"process where tags.0 == "a""#, 1, 19, 2,
            #"a value of a list has no place; a comparison holds where it does for one of the values, and in backticks, as `tags.0`, it is a name"#
        ),
        (#"process where user.name. == "a""#, 1, 26, 2, #"expected the name of a field, found '=='"#),
        (#"process where user-name == "a""#, 1, 28, 3, #"cannot compare 'user-name', a number, with '"a"', a text"#),
        (
            #"process where größe == 1"#, 1, 17, 2,
            #"'ö' has no meaning here; names with other characters than letters, digits and '_' stand in backticks"#
        ),
        (
            #"process where pid == #1"#, 1, 22, 1,
            #"'#' has no meaning here; names with other characters than letters, digits and '_' stand in backticks"#
        ),
        (#"process where lenght(name) == 3"#, 1, 15, 6, #"there is no function 'lenght'; did you mean 'length'?"#),
        (
            #"process where frobnicate(name)"#, 1, 15, 10,
            #"there is no function 'frobnicate'; the functions are add, between, cidrMatch, concat, divide, endsWith, indexOf, length, modulo, multiply, number, startsWith, string, stringContains, substring, subtract"#
        ),
        (#"process where length() == 3"#, 1, 15, 6, #"'length' takes 1 argument, found 0"#),
        (#"process where length(name, 1) == 3"#, 1, 15, 6, #"'length' takes 1 argument, found 2"#),
        (#"process where substring(name) == "a""#, 1, 15, 9, #"'substring' takes 2 to 3 arguments, found 1"#),
        (#"process where concat() == "a""#, 1, 15, 6, #"'concat' takes at least 1 argument, found 0"#),
        (#"process where length(5) == 3"#, 1, 22, 1, #"'length' takes a text as argument 1, found '5', a number"#),
        (
            #"process where substring(name, "a") == "b""#, 1, 31, 3,
            #"'substring' takes a number as argument 2, found '"a"', a text"#
        ),
        (
            #"process where cidrMatch(ip, "10.0.0.0/33")"#, 1, 29, 13,
            #"'"10.0.0.0/33"' is no block of addresses such as "10.0.0.0/8""#
        ),
        (
            #"process where cidrMatch(ip, block)"#, 1, 29, 5,
            #"'cidrMatch' takes constant blocks of addresses, found 'block'"#
        ),
        (
            #"process where startsWith(name, "a""#, 1, 35, 0,
            #"expected ',' or ')' in the arguments of 'startsWith'; the query ends here"#
        ),
        (
            #"process where wildcard(name, "a*")"#, 1, 15, 8,
            #"'wildcard' is not part of the language; write 'FIELD like "pattern"', or 'FIELD like ("one", "other")'"#
        ),
        (
            #"process where match(name, "a.*")"#, 1, 15, 5,
            #"'match' is not part of the language; write 'FIELD regex "pattern"'"#
        ),
        (
            #"process where arrayContains(args, "a")"#, 1, 15, 13,
            #"'arrayContains' is not part of the language; a field with several values equals each of them: write 'FIELD == "value"'"#
        ),
        (
            #"process where child of [process where true]"#, 1, 15, 8,
            #"'child of' is not part of the language; write a sequence by the fields that relate the events"#
        ),
        (
            #"process where not"#, 1, 18, 0,
            #"expected a value: a field, a text, a number or a function; the query ends here"#
        ),
        (
            #"process where a and"#, 1, 20, 0,
            #"expected a value: a field, a text, a number or a function; the query ends here"#
        ),
        (#"process where (a and b) == 5"#, 1, 28, 1, #"cannot compare '(a and b)', true or false, with '5', a number"#),
        (#"process where 1 + "a" == 2"#, 1, 19, 3, #"'+' takes numbers, found '"a"', a text"#),
        (#"process where -"a" == 1"#, 1, 16, 3, #"'-' takes a number, found '"a"', a text"#),
        (#"process where name in~ ("a", other)"#, 1, 30, 5, #"'in~' takes constants, found 'other'"#),
        (#"process where /* all"#, 1, 15, 2, #"the comment has no end; write '*/' after it"#),
        (
            #"process where true | hed 5"#, 1, 22, 3,
            #"expected a pipe: head, tail, count, unique or sort, found 'hed'; did you mean 'head'?"#
        ),
        (
            #"process where true | head"#, 1, 26, 0,
            #"expected the number of matches after 'head', a whole number from 1; the query ends here"#
        ),
        (
            #"process where true | head 0"#, 1, 27, 1,
            #"expected the number of matches after 'head', a whole number from 1, found '0'"#
        ),
        (
            #"process where true | head 1.5"#, 1, 27, 3,
            #"expected the number of matches after 'head', a whole number from 1, found '1.5'"#
        ),
        (
            #"process where true | filter pid > 1"#, 1, 22, 6,
            #"the pipe 'filter' is not part of the language; write the condition after 'where'"#
        ),
        (
            #"process where true | unique_count pid"#, 1, 22, 12,
            #"the pipe 'unique_count' is not part of the language; write '| count FIELD'"#
        ),
        (#"process where true | unique"#, 1, 28, 0, #"expected a field after 'unique'; the query ends here"#),
        (
            #"process where true |"#, 1, 21, 0,
            #"expected a pipe: head, tail, count, unique or sort; the query ends here"#
        ),
        (
            #"process where true until [process where true]"#, 1, 20, 5,
            #"'until' ends sequences; write 'sequence [...] [...]'"#
        ),
    ])
    func conditions(_ query: String, _ line: Int, _ column: Int, _ length: Int, _ message: String) {
        check(query, (line, column, length), message)
    }

    @Test(arguments: [
        (
            #"join by pid [process where true] [file where true]"#, 1, 1, 4,
            #"'join' is not part of the language; write 'sample by FIELD [...] [...]' for events in any order"#
        ),
        (#"sequence"#, 1, 9, 0, #"expected a step such as '[any where true]'; the query ends here"#),
        (#"sequence process where true"#, 1, 10, 7, #"expected a step such as '[any where true]', found 'process'"#),
        (
            #"sequence [process where true]"#, 1, 1, 8,
            #"a sequence has at least two steps; one event is found without 'sequence [...]'"#
        ),
        (
            #"sequence [process where true] [file where"#, 1, 42, 0,
            #"expected a condition after 'where', such as 'true'; the query ends here"#
        ),
        (#"sequence [process where true [file where true]"#, 1, 30, 1, #"expected ']' after the condition, found '['"#),
        (
            #"sequence by [process where true] [file where true]"#, 1, 13, 1,
            #"expected the name of a field after 'by', found '['"#
        ),
        (
            #"sequence by length(a) [process where true] [file where true]"#, 1, 13, 6,
            #"'by' takes fields, not functions"#
        ),
        (
            #"sequence with maxspam=5m [process where true] [file where true]"#, 1, 15, 7,
            #"expected 'maxspan=' after 'with', found 'maxspam'; did you mean 'maxspan'?"#
        ),
        (
            #"sequence with maxspan 5m [process where true] [file where true]"#, 1, 23, 2,
            #"expected '=' after 'maxspan', found '5m'"#
        ),
        (
            #"sequence with maxspan=5 [process where true] [file where true]"#, 1, 23, 1,
            #"the time needs a unit; did you mean '5s'?"#
        ),
        (
            #"sequence with maxspan=5x [process where true] [file where true]"#, 1, 23, 2,
            #"'x' is no unit of time; write ms, s, m, h or d"#
        ),
        (
            #"sequence with maxspan=1.5s [process where true] [file where true]"#, 1, 23, 4,
            #"a time is a whole number with a unit, such as 1500ms for 1.5s"#
        ),
        (
            #"sequence with maxspan=0s [process where true] [file where true]"#, 1, 23, 2,
            #"the time must be longer than 0"#
        ),
        (
            #"sequence with maxspan=-5s [process where true] [file where true]"#, 1, 23, 1,
            #"expected a time such as 30s or 5m, found '-'"#
        ),
        (
            #"sequence with maxspan=999999999999d [process where true] [file where true]"#, 1, 23, 13,
            #"the time is longer than 292 years"#
        ),
        (
            #"sequence [process where true] by a [file where true]"#, 1, 36, 17,
            #"each step has as many fields after 'by' as the first, 1, and this one has 0"#
        ),
        (
            #"sequence [process where true] ![file where true]"#, 1, 31, 18,
            #"a step that must not occur needs a time: write 'with maxspan=5m' after 'sequence'"#
        ),
        (
            #"sequence with maxspan=1s ![process where true] ![file where true]"#, 1, 1, 8,
            #"a sequence has at least one step without '!'"#
        ),
        (
            #"sequence [process where true] with runs=0 [file where true]"#, 1, 41, 1,
            #"expected the number of runs, a whole number from 1 to 1000, found '0'"#
        ),
        (
            #"sequence [process where true] with runs=2000 [file where true]"#, 1, 41, 4,
            #"expected the number of runs, a whole number from 1 to 1000, found '2000'"#
        ),
        (
            #"sequence [process where true] with runs=900 [file where true] with runs=900"#, 1, 1, 8,
            #"a sequence has at most 1000 events, with its runs; this one has 1800"#
        ),
        (
            #"sequence [process where true] with run=2 [file where true]"#, 1, 36, 3,
            #"expected 'runs=' after 'with', found 'run'; did you mean 'runs'?"#
        ),
        (
            #"sequence [process where true] fork [file where true]"#, 1, 31, 4,
            #"'fork' is not part of the language; each event that fits extends one pending match"#
        ),
        (
            #"sequence [process where true] [file where true] until"#, 1, 54, 0,
            #"expected '[' and a condition after 'until'; the query ends here"#
        ),
        (
            #"sequence [process where true] [file where true] until [a where true] with runs=2"#, 1, 70, 4,
            #"'with runs' stands behind a step of a sequence"#
        ),
        (
            #"sequence [process where true] [file where true] untl [a where true]"#, 1, 49, 4,
            #"expected '[', 'until', '|' or the end of the query, found 'untl'; did you mean 'until'?"#
        ),
        (
            #"sequence by a [process where true] [file where true] | sort events[0].a"#, 1, 67, 1,
            #"a pipe looks at the first event of a match; write its field without 'events[0].'"#
        ),
        (
            #"sample [process where true] [file where true]"#, 1, 1, 6,
            #"a sample needs what its events share: write 'sample by FIELD'"#
        ),
        (#"sample by a [process where true]"#, 1, 1, 6, #"a sample has at least two conditions in brackets"#),
        (
            #"sample by a with maxspan=1s [process where true] [file where true]"#, 1, 13, 4,
            #"a sample has no time span; write 'sequence' for events within a time"#
        ),
        (
            #"sample by a [process where true] ![file where true]"#, 1, 34, 1,
            #"a sample has no missing events; write 'sequence' for them"#
        ),
        (
            #"sample by a [process where true] [file where true] until [a where true]"#, 1, 52, 5,
            #"a sample has no 'until'; write 'sequence' for it"#
        ),
        (
            #"sample by a [process where true] with runs=2 [file where true]"#, 1, 34, 4,
            #"'with runs' stands behind a step of a sequence"#
        ),
        (
            "process where name == \"a\"\n  and pid ==\n", 3, 1, 0,
            #"expected a value: a field, a text, a number or a function; the query ends here"#
        ),
    ])
    func sequences(_ query: String, _ line: Int, _ column: Int, _ length: Int, _ message: String) {
        check(query, (line, column, length), message)
    }

    /// Records that have these fields and no others.
    private static let schema = QuerySchema(
        fields: [
            "user": .text, "pid": .integer, "ok": .boolean, "user.name": .text, "version": .version, "free": nil,
            "type": .text,
        ],
        isOpen: false
    )

    @Test(arguments: [
        (#"process where usr == "a""#, 1, 15, 3, #"the records have no field 'usr'; did you mean 'user'?"#),
        (
            #"process where user.nmae == "a""#, 1, 15, 9,
            #"the records have no field 'user.nmae'; did you mean 'user.name'?"#
        ),
        (
            #"process where xyzzy == 1"#, 1, 15, 5,
            #"the records have no field 'xyzzy'; '?xyzzy' is a field that may be missing"#
        ),
        (#"process where user == 5"#, 1, 23, 1, #"cannot compare 'user', a text, with '5', a number"#),
        (#"process where pid == "5""#, 1, 22, 3, #"cannot compare 'pid', a number, with '"5"', a text"#),
        (#"process where pid : "5""#, 1, 15, 3, #"a pattern is compared with a text, found 'pid', a number"#),
        (#"process where ok > 3"#, 1, 20, 1, #"cannot compare 'ok', true or false, with '3', a number"#),
        (#"process where ok == "true""#, 1, 21, 6, #"cannot compare 'ok', true or false, with '"true"', a text"#),
        (#"process where length(pid) == 1"#, 1, 22, 3, #"'length' takes a text as argument 1, found 'pid', a number"#),
        (#"process where pid"#, 1, 15, 3, #"'where' takes a condition, found 'pid', a number"#),
        (#"process where user in ("a", 5)"#, 1, 29, 1, #"cannot compare 'user', a text, with '5', a number"#),
        (#"process where user + 1 == 2"#, 1, 15, 4, #"'+' takes numbers, found 'user', a text"#),
        (#"process where version == 1"#, 1, 26, 1, #"cannot compare 'version', a text, with '1', a number"#),
        (
            #"sequence by usr [process where true] [process where true]"#, 1, 13, 3,
            #"the records have no field 'usr'; did you mean 'user'?"#
        ),
        (
            #"sequence [process where true] by user [process where true] by pid"#, 1, 63, 3,
            #"'pid' is a number, and 'user' of the first step is a text: they are never the same"#
        ),
        (#"process where true | count usr"#, 1, 28, 3, #"the records have no field 'usr'; did you mean 'user'?"#),
        (#"process where not pid"#, 1, 19, 3, #"'not' takes a condition, found 'pid', a number"#),
        (#"process where user and ok"#, 1, 15, 4, #"'and' takes a condition, found 'user', a text"#),
    ])
    func closedSchemas(_ query: String, _ line: Int, _ column: Int, _ length: Int, _ message: String) {
        check(query, (line, column, length), message, Self.schema)
    }

    @Test
    func categoriesNeedAField() {
        let schema = QuerySchema(fields: ["user": .text], isOpen: false)
        check("login where true", (1, 1, 5), "these records have no category; write 'any where ...'", schema)
        #expect(throws: Never.self) { try EQL().compile("any where user == \"a\"", against: schema) }
    }

    @Test
    func theCaretIsBelowTheMistake() {
        let error = #expect(throws: QueryError.self) {
            try EQL().compile("process where\n\tname = \"a\"", against: QuerySchema())
        }
        #expect(
            error?.description == """
                2:7: write '==' for '=', or ':' to ignore case
                 name = "a"
                      ^
                """
        )
    }
}
