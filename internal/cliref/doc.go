// Package cliref tells what a command line takes: to a shell that completes it,
// and to a reader of its manual page. Both come from one plain description, which
// the command fills in from its flag definitions.
//
//	flag definitions ─▶ Command ─▶ Complete ─▶ shell
//	                            └▶ Man ─▶ roff
package cliref
