// Package repo holds the rules that every file of this repository keeps, as
// tests: formatting, the direction of imports, documentation, what product code
// may not do, words that do not belong in a public tree.
//
//	files ─▶ tree (parsed once) ─▶ rule ─▶ complaints, none allowed
//
// The tests parse the files and run no other program: the test cache notices a
// changed file that a test has opened, and would not notice one that only a
// subprocess read. Each rule has a planted bad example in testdata/bad, so that
// a rule that has gone blind fails too.
package repo
