// Package mcpserver serves terminal sessions over the Model Context Protocol:
// it decodes tool arguments, calls package session, and renders the reply.
//
//	tools/call ─▶ decode, check ─▶ session ─▶ render ─▶ text for the model
//	                                              └───▶ structuredContent
//
// Each tool or pair of tools has a file with the arguments, the results and the handlers; toolset.go
// lists the tools. The struct tags of the arguments define both the schema and the checks. The SDK's
// validation is not used, because its errors name a JSON path. Our errors name the argument, the
// allowed values and the next step. The texts that a model reads (descriptions, instructions, errors) are an
// API. Golden files in testdata show changes of these texts, and conversations with real programs in
// testdata/wire show changes of behaviour.
//
// A result has two complete forms: text (the output or the screen, then one status line) and
// structured content. In both, encoding/json writes U+FFFD for bytes that are not UTF-8.
// By default, clients that would give their model only the structured form get only the text.
//
// In addition to what the SDK does, this package recovers panics in tools, answers invalid or overlong
// lines with an error instead of ending the connection, ends calls when the server stops, reports the
// progress of waiting calls, and limits the wait of calls without a progress token.
package mcpserver
