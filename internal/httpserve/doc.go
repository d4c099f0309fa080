// Package httpserve serves MCP and other handlers over HTTP. A request passes these guards:
//
//	connection limits ▶ time and size of the header ▶ Host ▶ Origin ▶ token,
//	scope and rate ▶ time and size of the body ▶ handler
//
// The package does not depend on terminals. A server without a token listens only on the loopback
// address. On Linux, such a server serves only programs of its user and of root, outside sandboxes.
//
// # Paths
//
//	/mcp      streamable HTTP: versions up to 2025-11-25, with sessions, and
//	          2026-07-28, without; the header Mcp-Protocol-Version selects one
//	/sse      server-sent events (2024-11-05), for older clients
//	/healthz  answers ok; needs no token
//	/metrics  counters and gauges, in the text format of Prometheus
//	/link/…   exchanges a code, which works once, for a cookie (Server.Link)
//
// # Further handlers
//
// Server.Handle adds a handler. Call it before Serve:
//
//	s.Handle("GET /live", httpserve.Access{Scope: httpserve.ScopeWatch, Cookies: true}, h)
//
// Before h is called, the guards have checked the request's Host, its Origin, its token (or
// with Cookies a link's cookie), the scope and the client's rate, and have read the whole
// body. PrincipalOf returns the sender of a request. The request's context ends when the token
// becomes invalid. An answer may take any time, but each Write is limited to Limits.WriteTimeout. A
// handler that hijacks the connection, as one for WebSockets does, must return when the context
// Server.Stopping ends. Server.Gauge adds a gauge to /metrics.
//
// # Differences from the SDK's handlers
//
// The SDK's handlers continue a call after its client has disconnected, and a DELETE waits for the
// call. This package ends the calls of a request when the request's connection is lost (exchange).
// A client of 2025-11-25 that has received an event can resume the stream (Last-Event-ID) within
// Limits.Resume. After this time, the calls end with an error that says how to continue. If the
// client does not resume, the call's output stays unread. A DELETE, and the end of a /sse stream,
// end calls at once.
//
// The SDK's event store keeps every stream of a session; this package keeps the latest maxStreams. The
// SDK's SSE handler lets any client post to any stream; this package lets only the client that
// opened the stream.
package httpserve
