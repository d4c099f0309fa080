package graphics

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// An Inline holds the arguments of an iTerm2 inline image.
type Inline struct {
	Width, Height int  // size in pixels of the box in which the image is shown; 0 means auto
	Stretch       bool // preserveAspectRatio=0
	Shown         bool // inline=1; otherwise it is a file to save, which is refused
	CursorStays   bool // doNotMoveCursor=1

	screenWidth int // width of the screen in pixels
}

// ParseInline parses key=value pairs separated by semicolons, for a screen of rows and cols.
func ParseInline(args string, rows, cols int) (Inline, error) {
	in := Inline{screenWidth: cols * CellWidth}
	for _, pair := range strings.Split(args, ";") {
		key, value, _ := strings.Cut(pair, "=")
		var err error
		switch key {
		case "width":
			in.Width, err = parseExtent(value, CellWidth, cols)
		case "height":
			in.Height, err = parseExtent(value, CellHeight, rows)
		case "preserveAspectRatio":
			in.Stretch = value == "0"
		case "inline":
			in.Shown = value == "1"
		case "doNotMoveCursor":
			in.CursorStays = value == "1"
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}

// parseExtent parses a width or height: N (cells), Npx, N% (of a screen of n cells) or auto. It
// returns the number of pixels, or 0 for auto. cell is the size of a cell in pixels.
func parseExtent(s string, cell, n int) (int, error) {
	if s == "auto" || s == "" {
		return 0, nil
	}
	digits := strings.TrimRight(s, "px%")
	v, err := strconv.Atoi(digits)
	if err == nil && v >= 0 && v <= MaxSide {
		switch s[len(digits):] {
		case "":
			return v * cell, nil
		case "px":
			return v, nil
		case "%":
			return max(min(v, 1), v*n*cell/100), nil
		}
	}
	return 0, fmt.Errorf("%w: extent %.20q", ErrData, s)
}

// InlineImage returns the image in the base64 payload of an inline image.
func InlineImage(payload []byte) (*Image, error) {
	data, err := decodeBase64(bytes.TrimSpace(payload))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes; the maximum is %d", ErrLimit, len(data), MaxBytes)
	}
	return NewFile(data)
}
