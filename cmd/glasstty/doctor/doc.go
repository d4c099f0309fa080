// Package doctor looks whether this machine has what glasstty needs, by using
// it: it starts programs as sessions, draws pictures, writes files.
//
//	Check ─▶ Finding: ok, could be better, broken ─▶ what to do
//
// What is broken keeps glasstty from doing its work; what could be better costs
// speed, certainty or characters in pictures.
package doctor
