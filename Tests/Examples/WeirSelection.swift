import WeirCore

struct NegativeAmount: Error {}
func calibrated(_ reading: Reading) throws -> Reading { reading }
