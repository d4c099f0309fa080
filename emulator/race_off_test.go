//go:build !race

package emulator

// million is how often a hostile program does what may be done once.
const million = 1_000_000
