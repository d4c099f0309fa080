package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/fleet"
)

// A book is a file in a log's directory that lists the places of the pieces that are shipped:
// a node may not ask NATS which subjects a stream has, because the answer would tell it the
// secrets of others. A place is noted before its first piece is shipped, so some may be empty.
// When the log is deleted, the book remains until the pieces are deleted too.
const bookName = "shipped"

// book returns the path of the log's book.
func (f *follower) book() string { return filepath.Join(string(f.store), bookName) }

// note notes the place of a piece, unless it is the file's last one.
func (f *follower) note(p fleet.Piece) error {
	if last, ok := f.noted[p.File]; ok && last == p.Offset {
		return nil
	}
	book, err := os.OpenFile(f.book(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(book, "%s %d\n", p.File, p.Offset); err == nil {
		f.noted[p.File] = p.Offset
	}
	return errors.Join(err, book.Close())
}

// readBook returns the pieces at the places in a book, if there is one, without their data.
func readBook(path string) (used []fleet.Piece, err error) {
	text, err := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		var p fleet.Piece
		if n, _ := fmt.Sscanf(line, "%s %d\n", &p.File, &p.Offset); n == 2 {
			used = append(used, p)
		}
	}
	return used, gone(err)
}
