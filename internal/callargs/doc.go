// Package callargs reads the arguments of a tool from the words of a command
// line, as the tool's input schema types them:
//
//	command=python3        a string, number or boolean
//	args=-c args=pass      a list: the key is repeated
//	args='["-c","pass"]'   a list as JSON
//	env.TERM=dumb          a field of an object
//	region:='{"row":1}'    any JSON
//
// It checks only what it needs to know a value's type; the rest is the server's
// to check, which says it best.
package callargs
