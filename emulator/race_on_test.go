//go:build race

package emulator

// million is fewer under the race detector, which finds nothing in a package
// without goroutines and takes ten times as long.
const million = 100_000
