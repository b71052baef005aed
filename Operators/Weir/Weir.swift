// Everything for programs that would rather not pick: the core and all families of operators that do without Foundation.
@_exported public import WeirAggregates
@_exported public import WeirCore
@_exported public import WeirCreation
@_exported public import WeirDispatch
@_exported public import WeirExpressions
@_exported public import WeirFlow
@_exported public import WeirGraphs
@_exported public import WeirLogic
@_exported public import WeirPatternDefinitions
@_exported public import WeirPatterns
@_exported public import WeirSchemas
@_exported public import WeirSelection
@_exported public import WeirSequences
@_exported public import WeirSignals
@_exported public import WeirWindows
