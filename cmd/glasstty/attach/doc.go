// Package attach shows sessions of a server in a terminal, and lets a person type into them.
//
//	server ── frames ──▶ view ── ANSI ──▶ terminal
//	   ▲                                    │
//	   └─── keys ◀── keyDecoder ◀── bytes ──┘
//
// The terminal is switched to the modes that the program has set (cursor keys, keypad, paste, mouse),
// so that its input has the form that the program expects and is passed on unchanged. The screen is
// drawn from the server's grid: control sequences from the program never reach the terminal.
package attach
