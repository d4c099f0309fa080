// Package doctor tests whether this machine meets glasstty's requirements: it starts programs
// as sessions, draws pictures and writes files.
//
//	Check ─▶ Finding: ok, could be better, broken ─▶ what to do
//
// A failure prevents glasstty from working; a warning costs speed, certainty or characters in
// pictures.
package doctor
