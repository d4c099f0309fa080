// Package nearest finds the known word that is most similar to a misspelt one.
package nearest

import (
	"fmt"
	"strings"
)

// maxLength is the maximum length in bytes of the words that are compared. The time grows with the
// square of the length.
const maxLength = 64

// minPrefix is the minimum length in bytes of a word that Word looks for at the start of candidates.
const minPrefix = 4

// Word returns the candidate with the smallest distance from word, or the first of several. The
// distance may be at most 1 plus a quarter of the word's length. If no candidate is that near, and
// word has at least minPrefix bytes, Word returns the first candidate that begins with word.
// Otherwise, and for a word of less than 2 or more than maxLength bytes, it returns "".
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

// Suggest returns the end of an error about an unknown word: a question that names the result of
// Word, or fallback if Word finds none.
func Suggest(word string, candidates []string, fallback string) string {
	if near := Word(word, candidates); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return fallback
}

// distance returns the minimum number of edits that turn a into b (optimal string alignment). An
// edit inserts, deletes or changes one byte, or swaps two neighbouring bytes.
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
