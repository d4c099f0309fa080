// Package httpserve serves MCP over HTTP, and other handlers beside it, behind
// guards that every request passes:
//
//	connection limits ▶ time and size of the header ▶ Host ▶ Origin ▶ token,
//	scope and rate ▶ time and size of the body ▶ handler
//
// It knows nothing of terminals. Where there is no token, a server listens on the
// loopback address alone, and on Linux serves the programs of its own user alone.
//
// # Paths
//
//	/mcp      streamable HTTP: versions up to 2025-11-25, with sessions, and
//	          2026-07-28, without; the header Mcp-Protocol-Version says which
//	/sse      server-sent events (2024-11-05), for older clients
//	/healthz  says ok; needs no token
//	/metrics  counters and gauges, in the text format of Prometheus
//	/link/…   exchanges a one-use code for a cookie (Server.Link)
//
// # Further handlers
//
// Server.Handle adds one, before Serve:
//
//	s.Handle("GET /live", httpserve.Access{Scope: httpserve.ScopeWatch, Cookies: true}, h)
//
// When h is called, the request has named one of our hosts, comes from a program
// or from a page of ours, has a token (or with Cookies a link's cookie) whose
// scope allows it, is within its client's rate, and its body has been read whole.
// PrincipalOf says who sent it; the context ends when the token expires. An
// answer may take as long as it likes, but each Write of it has only
// Limits.WriteTime. A handler that hijacks the connection, as a WebSocket does,
// is left alone from then on, and must end with Server.Stopping. Server.Gauge adds
// to /metrics.
//
// # What the SDK leaves to us
//
// The SDK's handlers let a call go on when its client is gone, and a DELETE waits
// for it. Here each request is an exchange: when its connection is lost, its calls
// end. A client of 2025-11-25 that has been sent an event can come back for the
// rest (Last-Event-ID) and so gets Limits.Resume for it; what it comes back too
// late for is an error that says how to carry on. A call that ends so has read
// nothing: its output is still unread. On a DELETE, and when a stream of /sse
// ends, calls end at once.
//
// A request whose connection was lost before its answer was written, and that its
// client sends again within a minute, is the same call: what it was to do is not
// done twice. See repeats.
//
// The SDK's store of events keeps every stream of a session; ours keeps maxStreams.
// Its SSE handler lets any client post to any stream; ours only the one that
// opened it.
package httpserve
