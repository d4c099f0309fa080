//go:build !linux

package main

// leftovers finds nothing where the environment of others cannot be read.
func leftovers(string) []string { return nil }
