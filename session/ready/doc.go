// Package ready gathers the evidence for package detect: what the kernel shows of the
// programs in front, how they waited at prompts before, what moves on the screen, and where
// the terminal stands.
//
// A Watch looks at one session. It reads the session's state, asks the kernel, and learns
// from verdicts. It has no lock and no goroutine: its owner guards it.
package ready
