// Package doctor tests whether this machine meets glasstty's requirements: it starts programs
// as sessions, looks for fonts and writes files.
//
//	check ─▶ Finding: a grade, what was found, what to do about it
//
// If a check fails, glasstty cannot work. A warning means that it is slower or less certain, or
// that pictures lack characters.
package doctor
