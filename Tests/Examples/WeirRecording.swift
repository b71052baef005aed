import WeirCore

func show(_ reading: Reading) {}
