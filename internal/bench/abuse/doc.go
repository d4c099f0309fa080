// Package abuse types what is dangerous at a server, as a careless or hostile
// client would, and sees what gets through.
//
// No dangerous command is ever run: the programs that are typed to are stand-ins,
// this test's own binary under the names of bash, psql, python3 and others. A
// stand-in prints prompts, edits lines and writes down those that reach it, and can
// do nothing else. The tests type nothing before they have seen, from the kernel,
// that the program in front is this binary.
//
// And it is the attacker who tries to get out of a sandbox: at files, processes and
// listeners that the test has made for it, first without a sandbox, where the way
// must be open, then within.
//
// The same binary is greedy where a limit is to be reached: it starts a few dozen
// processes, takes some memory or a processor for some seconds, and ends by itself.
package abuse
