// Package live serves a page on which people watch sessions and step in.
//
//	Session ── Changed ──▶ follow ── frame ──▶ conn ──▶ WebSocket or event stream ──▶ page
//	   ▲                                                        │
//	   └──────── As(who).TakeOver, … ◀── act ◀─── message ◀─────┘
//
// The page draws the server's own grid: a frame contains the rows that changed since the last
// frame that this browser received. The browser runs no emulator of its own, so a person and
// an agent see the same screen.
//
// A connection has one writer at a time, and a frame is made only when it can be written: a
// slow browser gets fewer frames, always the latest state, and never slows a session.
//
// The handler does not check tokens, hosts or origins. Its caller wraps it in these
// checks, and provides Options.Visitor, which returns the person behind a request and
// what that person may do:
//
//	page := live.New(live.Options{Manager: mgr, Visitor: visitor})
//	mux.Handle("/live/", http.StripPrefix("/live", page))
package live
