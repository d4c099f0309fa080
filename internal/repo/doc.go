// Package repo contains tests of the rules for all files of this repository: formatting, the
// direction of imports, documentation, what product code must not do, and words that a public
// repository must not contain.
//
//	files ─▶ tree (parsed once) ─▶ rule ─▶ complaints: must be empty
//
// The tests parse the files themselves, because the test cache notices changes of files that a
// test has opened, but not of files that a subprocess has read. Each rule has a bad example in
// testdata/bad. If a rule no longer finds anything there, its test fails.
package repo
