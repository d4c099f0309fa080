// Package attach shows sessions of a server in a terminal, and lets a person
// type into them.
//
//	server ── frames ──▶ view ── ANSI ──▶ terminal
//	   ▲                                    │
//	   └───── text ◀── typist ◀── bytes ────┘
//
// The terminal is switched to the modes that the program has asked for (cursor
// keys, keypad, paste, mouse), so what it sends is what the program expects, and
// goes there as it is. What is drawn comes from the server's grid: no sequence of
// the program reaches the terminal.
package attach
