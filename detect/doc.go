// Package detect decides from plain values whether a program has finished answering:
// whether it has exited, shows a prompt, waits for input or a secret, has settled, or is
// still busy. Its functions are pure; the clock is an argument. It knows neither the
// emulator nor the session.
//
//	Evidence ─▶ Decide ─▶ Verdict (a reason, and the layer that decided)
//	                  └─▶ or when to look again
//
// Layers, strongest first: exit with a drained PTY, shell marks (OSC 133), the kernel's view of
// which program waits for input, the terminal modes of a password prompt, learned prompts, and
// settling. The caller adds its timeout.
// Some waits look the same whatever the program does, such as that of an event loop for
// its terminal and a timer. Other evidence then decides: the text at the cursor is a
// complete learned prompt, drawn with control sequences if the program always draws its
// prompts that way (node prints "> " in an await); the program waits at a place in its
// code where it has waited before, after earlier keys (neovim); or the text is the same as
// when the input was typed.
//
// A verdict that is based only on a pause is a guess: its reason is settled.
package detect
