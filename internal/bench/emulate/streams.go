package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A stream is a kind of output, of any length.
type stream struct {
	name string
	make func(size int) []byte
}

// streams returns the measured kinds. The same seed gives the same bytes.
func streams() []stream {
	return []stream{
		{"plain text", plainText},
		{"coloured logs", colouredLogs},
		{"full-screen redraws", redraws},
		{"CJK and emoji", wideText},
	}
}

// fill calls add with a seeded generator until the buffer holds size bytes.
func fill(size int, add func(b *bytes.Buffer, rng *rand.Rand)) []byte {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Len() < size {
		add(&b, rng)
	}
	return b.Bytes()
}

func words(rng *rand.Rand, n int) string {
	all := strings.Fields("the quick brown fox jumps over a lazy dog while main.go:42: func returns error nil " +
		"package install done 0x7ffe GET /index.html 200 warning deprecated use instead of")
	out := make([]string, n)
	for i := range out {
		out[i] = all[rng.IntN(len(all))]
	}
	return strings.Join(out, " ")
}

// plainText writes lines of words, some of them wider than the screen.
func plainText(size int) []byte {
	return fill(size, func(b *bytes.Buffer, rng *rand.Rand) {
		b.WriteString(words(rng, 3+rng.IntN(18)))
		b.WriteString("\r\n")
	})
}

// colouredLogs writes lines with a time, a coloured level and highlighted words.
func colouredLogs(size int) []byte {
	n := 0
	return fill(size, func(b *bytes.Buffer, rng *rand.Rand) {
		n++
		fmt.Fprintf(b, "\x1b[90m12:%02d:%02d.%03d\x1b[0m \x1b[1;3%dmLEVEL\x1b[0m \x1b[38;5;%dm%s\x1b[39m %s \x1b[2mid=\x1b[22m%d\r\n",
			n/60%60, n%60, n%1000, 1+rng.IntN(6), rng.IntN(256), words(rng, 1), words(rng, 2+rng.IntN(7)), n)
	})
}

// redraws writes whole 80×24 screens as a process viewer draws them.
func redraws(size int) []byte {
	return fill(size, func(b *bytes.Buffer, rng *rand.Rand) {
		b.WriteString("\x1b[?25l\x1b[H")
		for row := 1; row <= 24; row++ {
			fmt.Fprintf(b, "\x1b[%d;1H\x1b[0;3%dm%7d \x1b[1m%5.1f\x1b[22m ", row, rng.IntN(8), rng.IntN(1e6), rng.Float64()*100)
			line := words(rng, 30)
			fmt.Fprintf(b, "\x1b[48;5;%dm%s\x1b[49m%s\x1b[K", rng.IntN(256), line[:20], line[20:60])
		}
		b.WriteString("\x1b[?25h")
	})
}

// wideText writes lines of wide characters with some emoji and ASCII.
func wideText(size int) []byte {
	runes := []rune("日本語漢字仮名交文章中國字體繁簡한국어문자열😀🎉🚀、。「」")
	return fill(size, func(b *bytes.Buffer, rng *rand.Rand) {
		for range 5 + rng.IntN(50) {
			b.WriteRune(runes[rng.IntN(len(runes))])
			if rng.IntN(12) == 0 {
				b.WriteString(" abc ")
			}
		}
		b.WriteString("\r\n")
	})
}
