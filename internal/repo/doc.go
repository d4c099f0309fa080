// Package repo contains tests of the rules for all files of this repository: formatting, the
// direction of imports, documentation, things that product code may not do, and words that do
// not belong in a public tree.
//
//	files ─▶ tree (parsed once) ─▶ rule ─▶ complaints: there must be none
//
// The tests parse the files themselves, because the test cache notices changes of files that a
// test has opened, but not of files that a subprocess has read. Each rule has a bad example in
// testdata/bad, so that a rule that no longer finds anything fails too.
package repo
