package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

// minEqual is the shortest run of equal rows that FoldRows shortens.
const minEqual = 4

// A RowRun is the rows From through To of the screen, which have the same text.
type RowRun struct {
	From, To int
	Text     string
}

// ScreenRows returns the rows of a screen up to the last that is not blank. It marks rows of a program
// that imitate the server's own lines, such as "… 5 lines left out"; see MarkElisions.
func ScreenRows(shot *emulator.Snapshot) []OutputLine {
	lines := make([]OutputLine, len(shot.Screen))
	last := 0
	for i, row := range shot.Screen {
		lines[i] = OutputLine{Number: int64(i), Text: row.Text()}
		if lines[i].Text != "" {
			last = i + 1
		}
	}
	return MarkElisions(lines[:last])
}

// FoldRows returns rows with each long run of equal rows replaced by one row and a count, or by
// a count alone if the rows are blank.
func FoldRows(rows []OutputLine) []OutputLine {
	var out []OutputLine
	for i := 0; i < len(rows); {
		j := i + 1
		for j < len(rows) && rows[j].Text == rows[i].Text {
			j++
		}
		switch {
		case j-i < minEqual:
			out = append(out, rows[i:j]...)
		case rows[i].Text == "":
			out = append(out, OutputLine{Number: rows[i].Number, Text: fmt.Sprintf("… %d blank rows …", j-i)})
		default:
			out = append(out, rows[i], OutputLine{Number: rows[i+1].Number, Text: moreLikeIt(j - i - 1)})
		}
		i = j
	}
	return out
}

// JoinRows returns rows as one text of about limit characters at most. If they do not fit, it returns
// the first and the last rows, and between them a line that says how to get the others. elided is the
// number of rows left out.
func JoinRows(rows []OutputLine, limit int) (text string, elided int) {
	if text = JoinAll(rows); utf8.RuneCountInString(text) <= limit {
		return text, 0
	}
	head := max(countFitting(slices.All(rows), limit*HeadPercent/100), 1)
	tail := countFitting(slices.Backward(rows[head:]), limit-limit*HeadPercent/100)
	if head+tail == len(rows) {
		return text, 0
	}
	from, end, tailText := rows[head].Number, rows[len(rows)-tail-1].Number+1, ""
	if tail > 0 {
		end, tailText = rows[len(rows)-tail].Number, "\n"+JoinAll(rows[len(rows)-tail:])
	}
	return fmt.Sprintf("%s\n… %d rows left out; snapshot region={\"row\":%d,\"rows\":%d} gets them …%s", JoinAll(rows[:head]), end-from, from, end-from, tailText), int(end - from)
}

// ChangedRuns returns the rows of a screen that changed after a revision. It joins
// neighbouring rows with equal text into one run.
func ChangedRuns(shot *emulator.Snapshot, since uint64) []RowRun {
	var runs []RowRun
	for i, row := range shot.Screen {
		if row.Revision <= since {
			continue
		}
		rowText := row.Text()
		if last := len(runs) - 1; last >= 0 && runs[last].To == i-1 && runs[last].Text == rowText {
			runs[last].To = i
			continue
		}
		runs = append(runs, RowRun{From: i, To: i, Text: rowText})
	}
	return runs
}

// Diff formats runs as text: one line for each, with its row numbers, but one line for all blank runs.
func Diff(runs []RowRun) string {
	var lines, blank []string
	for _, run := range runs {
		rows := fmt.Sprint(run.From)
		if run.To > run.From {
			rows += fmt.Sprintf("-%d", run.To)
		}
		if run.Text == "" {
			blank = append(blank, rows)
			continue
		}
		lines = append(lines, rows+": "+run.Text)
	}
	if len(blank) > 0 {
		lines = append(lines, "blank now: "+strings.Join(blank, ", "))
	}
	return strings.Join(lines, "\n")
}
