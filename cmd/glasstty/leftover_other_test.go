//go:build !linux

package main

// leftovers returns nothing, because the environment of other processes cannot be read
// here.
func leftovers(string) []string { return nil }

// marked always reports true.
func marked(int, string) bool { return true }
