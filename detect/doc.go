// Package detect decides, from plain values, whether a program has finished
// answering: whether it exited, shows a prompt, waits for input or a secret, has
// settled, or is still busy. Evidence in, verdict out: pure functions, with the
// clock as an argument. It knows neither the emulator nor the session.
//
//	Evidence ─▶ Decide ─▶ Verdict (a reason, the layer that saw it)
//	                  └─▶ or when to look again
//
// Layers, strongest first: exit with a drained PTY, shell marks (OSC 133), the
// kernel's view of who waits for input, learned prompts, settling, timeout.
// Some waits look the same whatever the program does, such as that of an event loop for
// its terminal and a timer. Other evidence decides then: the text at the cursor is a whole
// learned prompt, drawn with control sequences if the program always draws its prompts so
// (node prints "> " in an await); the program waits in a place where it was before and
// after earlier keys (neovim); the text is the same as when the input was typed.
//
// A verdict that rests on a pause alone is a guess: its reason is settled, not complete.
package detect
