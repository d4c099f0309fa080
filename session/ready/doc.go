// Package ready gathers the evidence for package detect: what the kernel shows about the
// foreground programs, how they waited at earlier prompts, motion on the screen, and the
// terminal's state.
//
// A Watch observes one session. It reads the session's state, asks the kernel, and learns
// from verdicts. It has no lock and no goroutine.
package ready
