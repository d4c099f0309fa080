// Package live serves a page on which people watch sessions and step in.
//
//	Session ── Changed ──▶ follow ── frame ──▶ conn ──▶ WebSocket or event stream ──▶ page
//	   ▲                                                        │
//	   └──────── As(who).TakeOver, … ◀── act ◀─── message ◀─────┘
//
// The page draws the server's own grid: a frame has the rows that changed since
// the revision that this browser has, so a person and an agent see one screen.
// There is no second emulator.
//
// A connection has one writer at a time, and a frame is made when its turn to be
// written has come: a slow browser gets fewer frames, always the newest, and
// never slows a session.
//
// The handler knows no tokens. Who mounts it puts guards before it (Host, Origin,
// limits) and says by Options.Visitor who a request comes from and what that
// person may do:
//
//	page := live.New(live.Options{Manager: mgr, Visitor: visitor})
//	mux.Handle("/live/", http.StripPrefix("/live", page))
package live
