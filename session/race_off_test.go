//go:build !race

package session

// raceFactor is how much longer work of the processor may take in a test: not at all
// without the race detector.
const raceFactor = 1
