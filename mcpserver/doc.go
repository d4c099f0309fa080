// Package mcpserver serves terminal sessions over the Model Context Protocol:
// it decodes tool arguments, calls package session, and renders the reply.
//
//	tools/call ─▶ decode, check ─▶ session ─▶ render ─▶ text for the model
//	                                              └───▶ structuredContent
//
// There is one file per tool: its arguments, its result, its handler. The tags
// of the arguments' struct are at once the schema and the check: the SDK's own
// validation answers with a JSON path, ours with the argument, what is allowed
// and what to do. The words a model reads (descriptions, instructions, errors)
// are an API; golden files in testdata make their changes visible, and
// conversations with real programs in testdata/wire what comes of them.
//
// A result has two forms, each enough by itself: text (the output or screen as
// it is, then one status line) and structured content. Clients that would hand
// their model only one of them get only the text.
//
// The SDK leaves to us: a panic in a tool is recovered; a line on stdin
// that is not a message, or is too long, is answered and skipped instead of ending
// the connection; calls end when the server stops; a call that waits reports
// its progress, and one that cannot is kept shorter than clients' patience.
package mcpserver
