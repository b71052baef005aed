import Testing

/// Runs the program itself, one run after the other: a process inherits what is open when another one starts.
@Suite(.serialized) struct HostTests {}

/// A still device, and one jerk of 2 g on x.
let jerk = "time,x,y,z\n0,0,0,1\n20,2,0,1\n"

/// What is found in ``jerk``.
let jerkMatch =
    #"{"time":20,"axis":"x","difference":2.0,"unit":"g","#
    + #""previous":{"time":0,"x":0.0,"y":0.0,"z":1.0},"current":{"time":20,"x":2.0,"y":0.0,"z":1.0}}"# + "\n"
