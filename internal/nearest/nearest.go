// Package nearest finds the word that a misspelt one was meant to be.
package nearest

import "strings"

// maxLength is how long a word may be, in bytes, to be compared: the time grows with
// the square of the length.
const maxLength = 64

// minPrefix is how many bytes of a candidate's beginning stand for all of it.
const minPrefix = 4

// Word returns the candidate that differs least from word, "" when none is near enough
// to be meant: a quarter of the word's bytes, and at least one, may be wrong, or the
// candidate begins with the word. Of equally near candidates it returns the first.
func Word(word string, candidates []string) string {
	best, limit := "", 1+len(word)/4
	if len(word) < 2 || len(word) > maxLength {
		return ""
	}
	for _, c := range candidates {
		if len(c) > maxLength {
			continue
		}
		if d := distance(word, c); d <= limit {
			best, limit = c, d-1
		}
	}
	for _, c := range candidates {
		if best == "" && len(word) >= minPrefix && strings.HasPrefix(c, word) {
			best = c
		}
	}
	return best
}

// distance counts the bytes to insert, delete, change or swap with their
// neighbour to make b of a (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
