// Package conform checks that the emulator shows what other terminals show.
//
// Recordings of real programs (emulator/testdata/replay), vttest's menus and random
// streams are replayed in the emulator and in oracles. Cells, styles, cursor, wrap
// flags and scrollback are compared at checkpoints. The oracles are:
//
//   - xterm itself, on a virtual X server. It is the terminal that we follow.
//     It prints its screen with attributes (media copy), so nothing is read
//     from pixels. It has no reflow and does not report its wrap flags.
//   - @xterm/headless, driven by oracle/headless.js, also for wrap flags and reflow.
//   - tmux, as a witness if the first two disagree.
//
// The oracles' screens are stored with each recording, so that go test does not need the oracles.
// If they are installed,
//
//	go test ./internal/bench/conform -run Differential -args -oracles
//
// runs them again, and -update stores their results. Every difference is either
// fixed or listed in testdata/known.txt, with the reason and the terminal that
// agrees with us; the test checks that it does agree.
package conform
