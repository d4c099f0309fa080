package child

// setMark does nothing: there is no limit here that nobody uses.
func setMark(mark) (undo func()) { return func() {} }
