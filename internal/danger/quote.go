package danger

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// tilde returns text with ~ or ~user at its start expanded. raw is the text as
// written, in which an escaped ~ can be told.
func (s *shell) tilde(text, raw string) string {
	if !strings.HasPrefix(raw, "~") {
		return text
	}
	user, rest, _ := strings.Cut(text[1:], "/")
	if rest != "" || strings.HasSuffix(text, "/") {
		rest = "/" + rest
	}
	switch {
	case user == "+":
		return s.dir + rest
	case user == "" && s.k.at.Home != "":
		return s.k.at.Home + rest
	case user == "":
		return "/home/user" + rest
	case user == "root":
		return "/root" + rest
	}
	return "/home/" + user + rest
}

// unescape takes backslashes off, all of them outside quotes, and inside double
// quotes those that a shell takes off there.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// ansiC decodes the escapes of $'…', of printf's format and of echo -e.
func ansiC(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a', 'b', 'e', 'E', 'f', 'v':
			b.WriteByte(' ')
		case 'x', 'u', 'U':
			n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			i += number(&b, text[i+1:], 16, n, c == 'x')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i += number(&b, text[i:], 8, 3, true) - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// number writes the character whose number, of at most n digits, text begins
// with, and returns how many digits there were.
func number(b *strings.Builder, text string, radix, n int, asByte bool) int {
	end := 0
	for end < len(text) && end < n {
		if _, err := strconv.ParseUint(text[end:end+1], radix, 8); err != nil {
			break
		}
		end++
	}
	v, err := strconv.ParseUint(text[:end], radix, 32)
	switch {
	case err != nil || v == 0:
	case asByte:
		b.WriteByte(byte(v))
	case v <= utf8.MaxRune:
		b.WriteRune(rune(v))
	}
	return end
}
