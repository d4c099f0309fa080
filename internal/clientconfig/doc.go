// Package clientconfig adds a server to the settings files of MCP clients and removes it
// again. For agents without MCP, it adds and removes instructions.
//
//	file ─▶ parse ─▶ edit the text ─▶ parse again: only our entry differs?
//	                                      └─▶ backup ─▶ replace atomically
//
// People and other programs edit these files too, so edits keep comments, order and spacing. The
// new text is parsed and compared before it is written. A file that cannot be read or parsed stays
// unchanged.
package clientconfig
