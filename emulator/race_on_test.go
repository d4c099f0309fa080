//go:build race

package emulator

// million is smaller under the race detector, which takes ten times as long and
// finds nothing in a package without goroutines.
const million = 100_000
