// Package mcpserver serves terminal sessions over the Model Context Protocol:
// it decodes tool arguments, calls package session, and renders the reply.
//
//	tools/call ─▶ decode, check ─▶ session ─▶ render ─▶ text for the model
//	                                              └───▶ structuredContent
//
// There is one file per tool: its arguments, its result, its handler. The
// words a model reads (descriptions, instructions, errors) are an API; golden
// files in testdata make their changes visible.
package mcpserver
