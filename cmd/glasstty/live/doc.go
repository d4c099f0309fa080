// Package live serves a page on which people watch sessions and step in.
//
//	Session ── Changed ──▶ followScreen ── Frame ──▶ WebSocket or event stream ──▶ page
//	   ▲                                                                            │
//	   └──────── As(person).TakeOver, … ◀── act ◀── request ◀───────────────────────┘
//
// The page draws the server's grid: a Frame contains the rows that changed since the page's last
// Frame of that screen. The page has no emulator, so a person and an agent see the same screen.
//
// A connection has one writer at a time, and a Frame is made only when it can be written: a
// slow browser gets fewer frames, always of the latest state, and never slows a session.
//
// The Server does not check tokens or hosts, and checks origins only for WebSockets. The caller
// wraps it in these checks, and provides Options.Visitor, which returns the sender of a request
// and what the sender may do:
//
//	page := live.New(live.Options{Manager: mgr, Visitor: visitor})
//	mux.Handle("/live/", http.StripPrefix("/live", page))
package live
