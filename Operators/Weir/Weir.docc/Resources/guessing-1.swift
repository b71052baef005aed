import WeirCore
import WeirPatterns

let guessing = Pattern<Login>
    .first { !$0.succeeds }.times(3...)
