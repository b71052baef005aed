extension EQL {
    public var guide: String {
        """
        State situations in EQL, the Event Query Language of Elasticsearch.

        Examples:
          any where status >= 500
          process where name : "cmd*.exe" and not user in ("admin", "root")
          sequence by user with maxspan=1m
            [login where outcome == "failure"] with runs=5
            [login where outcome == "success"]
          sequence by order with maxspan=10m [order where true] ![payment where true]
          sequence by host [login where ok] [file where true] until [logout where true]
          sample by host [connection where port == 22] [connection where port == 80]
          login where not ok | count user

        Usage: weir match QUERY [INPUT]

        'CATEGORY where CONDITION' is an event; 'any' is every category, and the
        condition 'true' every event. In brackets it is a step. Of a sequence the steps
        come one after the other, of a sample in any order. 'by FIELD, ...' keeps apart
        what has other values; behind a step it names the field there. 'with runs=N'
        repeats a step. '![...]' must not happen; what is in 'until [...]' ends it all.
        A span is a number and ms, s, m, h or d. A file has '---' between two rules.

        Operators:
          == != < <= > >=       for numbers, and texts by their letters
          FIELD : "a*"          in any case; '*' is any text, '?' is one character
          like, like~           the same signs; with '~' in any case
          regex, regex~         a regular expression for the whole text
          in, in~, not in       one of ("a", "b"); like, regex and ':' take lists too
          and or not            a comparison with a missing value is not true
          + - * / %             of numbers; of two whole ones '/' is a whole one

        Functions, with '~' behind the name in any case:
          startsWith(a, "b"), endsWith, stringContains    whether it has it
          substring(a, 0, 3), between(a, "<", ">")        a part of it
          indexOf(a, "b"), length(a)                      a place in it, or its length
          concat(a, "-", b), string(5), number("5")       to a text, to a number
          cidrMatch(ip, "10.0.0.0/8", ...)                whether an address is in it
          add(a, 1), subtract, multiply, divide, modulo   + - * / %

        A field has dots for objects, as user.name, and backticks around other signs,
        as `user-id`. Where records may lack it, write '?field'; 'field == null' holds
        then. Of a field with several values, one that satisfies a comparison is enough.
        Pipes are head N and tail N. Extensions to the language of Elasticsearch are the
        pipes count F, unique F and sort F, and comparisons of fields with each other.

        What EQL cannot say waits for SQL, which there is not yet: "the mean of 5
        minutes is three sigma above that of the hour before", "the top 10 URLs of each
        minute", "any three different ports".

        """
    }
}
