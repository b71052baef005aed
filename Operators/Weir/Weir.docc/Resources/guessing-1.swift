import WeirCore
import WeirPatterns

let guessing = Pattern<Login>
    .first(.atLeast(3)) { !$0.succeeds }
