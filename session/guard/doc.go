// Package guard judges the line that Enter would submit.
//
// It follows the line key by key (Line), knows the earlier lines that affect it (Past) and
// the program that reads it (Program), and passes it to package danger. A Decision reports
// what is dangerous, what a person has refused before, and what the line is afterwards.
// Only the program knows the effect of some keys, such as those that recall an earlier line.
// Then the Decision contains the place at which the input must be cut (Cut), so that the line
// can be read from the screen.
//
// All of these are plain values: no lock, no clock, no terminal. A caller makes a View of its
// session and calls Check without the session's lock, because a check of megabytes may take
// a second. Then it makes sure that the session has not changed.
package guard
