import WeirCore
import WeirPatterns

let guessing = Pattern<Login>
    .first { !$0.succeeds }.times(3...)
    .followedBy { $0.succeeds }
