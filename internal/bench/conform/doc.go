// Package conform proves that the emulator shows what other terminals show.
//
// Recordings of real programs (emulator/testdata/replay), vttest's menus and
// random streams are replayed through the emulator and through oracles, and
// cells, styles, cursor, wrap flags and scrollback are compared at checkpoints:
//
//   - xterm itself, on a virtual X server. It is the terminal that we follow.
//     It prints its screen with attributes (media copy), so nothing is read
//     from pixels. It has no reflow and does not tell its wrap flags.
//   - @xterm/headless, driven by oracle/headless.js: wrap flags and reflow too.
//   - tmux, a witness for what the first two disagree about.
//
// What the oracles showed is stored beside each recording, so that go test
// needs none of them. With the programs installed,
//
//	go test ./internal/bench/conform -run Differential -args -oracles
//
// asks them again, and -update stores what they answer. Every difference is
// either fixed or listed in testdata/known.txt, with the reason and the terminal
// that agrees with us; the test checks that it does agree.
package conform
