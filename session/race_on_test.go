//go:build race

package session

// raceFactor is how much longer work of the processor may take in a test.
const raceFactor = 10
