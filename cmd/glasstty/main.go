// Command glasstty gives programs a real terminal and AI agents a way to use
// it: an MCP server on stdio, and snap, which prints one program's screen.
package main

func main() {}
