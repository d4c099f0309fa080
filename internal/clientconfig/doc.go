// Package clientconfig puts a server into the settings of MCP clients, and takes it
// out again: files that belong to somebody else, are edited by hand and hold much
// besides. For agents without MCP it does so with instructions.
//
//	file ─▶ parse ─▶ edit the text ─▶ parse again: only our entry differs?
//	                                      └─▶ backup ─▶ replace atomically
//
// The text is edited in place, so that comments, order and spacing stay. What
// was written is read back and compared before anything touches the disk. A file
// that cannot be read or understood is left as it is.
package clientconfig
