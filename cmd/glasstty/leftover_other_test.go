//go:build !linux

package main

// leftovers finds nothing where the environment of others cannot be read.
func leftovers(string) []string { return nil }

// marked reports true.
func marked(int, string) bool { return true }
