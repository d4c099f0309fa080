// Package guard judges the line that Enter would submit.
//
// A Line follows the line key by key, a Past holds the effects of earlier lines on the next one, and a
// Program describes the program that will read the line. Check judges submitted lines by package danger.
// Its Decision reports what is dangerous, what a person has refused before, and the line after the input.
// The effect of some keys, such as those that recall an earlier line, cannot be predicted. If such a key
// precedes Enter, the Decision has a Cut: the caller types the input up to the Cut, reads the line from
// the screen, and has the rest checked.
//
// None of these has a lock or a clock. A caller makes a View of its session and calls Check
// without the session's lock, because a check of megabytes may take a second. Then the caller
// makes sure that the session has not changed.
package guard
