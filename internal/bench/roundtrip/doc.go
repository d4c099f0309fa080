// Package roundtrip measures the built server from outside, through a real MCP
// client on standard input and output: how long a line typed into bash or Python
// takes until its answer is there, how fast a flood of output passes, how long a
// fresh server takes to list its tools, and how much memory an idle session
// costs it.
//
//	benchmark ─▶ MCP client ─▶ glasstty mcp ─▶ bash, python3
//	   └── p50, p99 ◀──────────────┘
//
// Run it with
//
//	go test ./internal/bench/roundtrip -run '^$' -bench . -benchtime 200x
package roundtrip
