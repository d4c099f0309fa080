// Package checkers holds the server to tools that we did not write: the
// inspector's CLI, the TypeScript SDK's client, and the official conformance
// suites of MCP, and asciinema's player for recordings. They come from npm, pinned in package.json with the node that they
// need:
//
//	cd internal/checkers && npm ci --ignore-scripts
//
// The tests that run them are cmd/glasstty's, which builds the server.
//
// package-lock.json names no registry: it is written with npm's
// --omit-lockfile-registry-resolved. Where they are not installed the tests are
// skipped, and fail where GLASSTTY_REQUIRE is 1.
package checkers
