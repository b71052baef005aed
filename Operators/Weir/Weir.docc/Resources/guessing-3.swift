import WeirCore
import WeirPatterns

let guessing = Pattern<Login>
    .first { !$0.succeeds }.times(3...)
    .followedBy { $0.succeeds }
    .within(.seconds(60))
    .afterMatch(.skipPastLast)
    .grouped(by: \.address)
