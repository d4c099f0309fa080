// Package doctor tests whether this machine meets glasstty's requirements: it starts programs
// as sessions, looks for fonts and writes files.
//
//	check ─▶ Finding: a grade, what was found, what to do about it
//
// If a check fails, glasstty cannot work. A warning means that it works in part: for example, it is
// slower or less reliable, a feature is missing, or pictures lack characters.
package doctor
