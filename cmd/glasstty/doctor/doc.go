// Package doctor looks whether this machine has what glasstty needs, by using
// it: it starts programs as sessions, draws pictures, writes files.
//
//	Check ─▶ Finding: ok, could be better, broken ─▶ what to do
//
// A failure keeps glasstty from doing its work; a warning costs speed, certainty or
// characters in pictures.
package doctor
