// Package checkers contains independent tools that the server is tested with: the MCP
// inspector's CLI, the client of the TypeScript SDK, the official conformance suites of MCP,
// and asciinema's player for recordings. They come from npm. package.json pins their versions
// and that of node:
//
//	cd internal/checkers && npm ci --ignore-scripts
//
// The tests in cmd/glasstty, which build the server, run them. If the tools are not installed,
// these tests are skipped, or fail if GLASSTTY_REQUIRE is 1.
//
// package-lock.json names no registry, because it is written with npm's
// --omit-lockfile-registry-resolved.
package checkers
