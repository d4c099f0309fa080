// Package command finds the program that a command names, and determines its environment
// and arguments.
package command
