package guard

import (
	"fmt"

	"github.com/glasstty/glasstty/internal/danger"
)

// CheckBehind judges what an input has behind its first Enter, where that ends the answer to
// a password question: the program that asked may be gone when the rest is read. It is not
// held, as what is held is shown, and this would show the password.
func CheckBehind(c *danger.Checker, p Program, strokes Strokes) error {
	if len(p.Langs) == 0 { // it reads data
		return nil
	}
	var line Line
	line.Clear()
	answered := false
	sub := submission{program: p}
	for s := range strokes {
		if s.Does == Submits {
			if answered {
				sub.lines = append(sub.lines, string(line.Text))
			}
			answered = true
		}
		line.Apply(s)
	}
	if answered && len(line.Text) > 0 {
		sub.lines = append(sub.lines, string(line.Text))
	}
	if len(sub.lines) == 0 {
		return nil
	}
	var d Decision
	if sub.judge(c, &d, nil, false); len(d.Findings) == 0 {
		return nil
	}
	return fmt.Errorf("%w: nothing was typed, because a line behind it %s (%s); send the password alone, and then that line", ErrBehindSecret, d.Findings[0].Why, d.Findings[0].Rule)
}
