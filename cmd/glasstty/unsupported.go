//go:build !unix

package main

import _ "embed" // for the directive below

// The go command looks for the file that this directive names before it compiles anything. No
// such file exists, so a build for Windows fails with this sentence instead of the compiler's
// errors about terminals and signals.
//
//go:embed "glasstty needs Linux or macOS - on Windows, build and run it inside WSL"
var unsupported string
