// Package guard judges the line that Enter would submit.
//
// It follows the line key by key (Line), knows what earlier lines mean for it (Past) and
// what reads it (Program), has package danger look at it, and says in a Decision what is
// dangerous, what a person has refused before, and what the line is afterwards. Where
// only the program knows what a key does to the line, such as one that recalls an
// earlier line, the Decision says up to which key the input must be typed before the
// line can be read from the screen.
//
// All of it is plain values: no lock, no clock, no terminal. A caller takes a Look at its
// session, has it checked without its lock, which may take a second for megabytes, and
// then compares whether the session is still as it was.
package guard
