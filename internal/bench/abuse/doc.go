// Package abuse sends dangerous input to a server, as a careless or hostile client
// would, and checks what gets through.
//
// No dangerous command is ever run: the input goes to stand-ins, which are this test's
// own binary under the names of bash, psql, python3 and others. A stand-in prints
// prompts, edits lines and records those that it receives, and can do nothing else.
// Before a test types anything, it verifies through the kernel that the program in the
// foreground is this binary.
//
// The same binary is also the attacker that tries to escape from a sandbox. It attacks
// files, processes and listeners that the test created for it, first without a sandbox,
// where the attack must succeed, and then in the sandbox.
//
// The same binary is also the program that exceeds a limit: it starts a few dozen
// processes, or uses some memory or a processor for some seconds, and exits by itself.
package abuse
