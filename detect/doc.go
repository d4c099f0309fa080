// Package detect decides from plain values whether a program has finished answering:
// whether it has exited, shows a prompt, waits for input or a secret, has settled, or is
// still busy. Its functions are pure: the time is an argument. It imports neither the
// emulator nor the session.
//
//	Evidence ─▶ Decide ─▶ Verdict (a reason, and the layer that decided)
//	                  └─▶ or when to decide again
//
// Layers, strongest first: exit with a drained PTY, shell marks (OSC 133), the kernel's view of
// which program waits for input, the terminal modes and words of a password prompt, learned
// prompts, and settling. The caller adds its timeout.
// An event loop waits in the same way for keys, a timer or an answer. Other evidence then
// decides: the text at the cursor is a complete learned prompt, drawn with control sequences
// if the program always draws its prompts that way (node may print "> " in an await); the
// program waits at a place in its code where it was idle after earlier keys (neovim); or a
// line editor has begun to read, and the text asks for input.
//
// A verdict that is based only on a pause is a guess. Its reason is Settled.
package detect
