package child

// awaitEnd returns at once: who reaps waits.
func awaitEnd(int) {}
