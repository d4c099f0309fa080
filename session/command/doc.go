// Package command finds the program that a command names, and says in what environment
// and with which arguments it runs.
package command
