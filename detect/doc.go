// Package detect decides from plain values whether a program has finished answering: whether it has exited,
// shows a prompt, waits for input or a secret, has settled, or is still busy. Decide and Quiet are pure
// functions: the time is part of their argument. Detect imports neither the emulator nor the session.
//
//	Evidence ─▶ Decide ─▶ Verdict (a reason, and the layer that decided)
//	                  └─▶ or when to decide again
//
// A layer decides by one kind of evidence. The layers are, strongest first: the exit of the child; shell marks (OSC
// 133); the kernel's view of which program waits for input; the terminal modes and words of a password prompt; learned
// prompts; and pauses in the output. The caller adds a timeout.
//
// A program that waits for its terminal and other things, as an event loop does, may be waiting for keys, a timer or a
// network reply. Then other evidence decides: the text at the cursor is a complete learned prompt, drawn with control
// sequences if the program always draws its prompts that way (node may print "> " in an await); or the program waits
// at a place in its code where it was idle after earlier keys (neovim); or a line editor has begun to read, and the
// text asks for input.
//
// A verdict that is based only on a pause is a guess. Its reason is Settled.
package detect
