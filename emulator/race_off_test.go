//go:build !race

package emulator

// million is the number of repetitions in tests of hostile programs.
const million = 1_000_000
