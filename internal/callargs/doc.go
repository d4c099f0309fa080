// Package callargs reads the arguments of a tool from the words of a command line. The tool's
// input schema determines their types:
//
//	command=python3        a string, number or boolean
//	args=-c args=pass      a list: the key is repeated
//	args='["-c","pass"]'   a list as JSON
//	env.TERM=dumb          a field of an object
//	region:='{"row":1}'    any JSON
//
// It checks only the form of the words and of JSON; the server checks the values.
package callargs
