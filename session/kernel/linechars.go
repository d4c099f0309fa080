//go:build linux || darwin

package kernel

import "golang.org/x/sys/unix"

// LineChars describes how a terminal changes characters before the program reads them (termios(3)).
type LineChars struct {
	Erase, Kill, EOF byte   // delete a character, delete the line, submit it without a newline (ICANON); 0 if not set
	Special          string // all characters that edit a line, end the input or send a signal
	Flushes          bool   // a character that sends a signal discards unread input (no NOFLSH)
	Alters           bool   // typed characters are changed or dropped, or Enter is not the only one that ends a line
}

// DefaultSignals are the characters that interrupt, quit and suspend the foreground
// program by default (VINTR, VQUIT and VSUSP): ctrl+c, ctrl+\ and ctrl+z.
const DefaultSignals = "\x03\x1c\x1a"

// readLineChars returns the LineChars of a terminal's settings.
func readLineChars(tio *unix.Termios) LineChars {
	has := func(flags uint64) bool { return uint64(tio.Iflag)&flags != 0 }
	cc := func(i int) byte {
		if c := tio.Cc[i]; c != noChar {
			return c
		}
		return 0
	}
	l := LineChars{Erase: cc(unix.VERASE), Kill: cc(unix.VKILL), EOF: cc(unix.VEOF), Flushes: uint64(tio.Lflag)&unix.NOFLSH == 0}
	for _, i := range []int{unix.VERASE, unix.VKILL, unix.VWERASE, unix.VEOF, unix.VLNEXT, unix.VREPRINT, unix.VINTR, unix.VQUIT, unix.VSUSP} {
		if c := cc(i); c != 0 {
			l.Special += string(rune(c))
		}
	}
	l.Alters = has(unix.IGNCR | unix.ISTRIP | toLowerCase)
	if uint64(tio.Lflag)&unix.ICANON != 0 {
		l.Alters = l.Alters || has(unix.INLCR) || !has(unix.ICRNL) || cc(unix.VEOL) != 0 || cc(unix.VEOL2) != 0
	}
	return l
}
