package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/fleet"
)

// bookName is the name of a book: a file in a log's directory that lists the places of the
// shipped pieces. A node may not ask NATS for the subjects of a stream, because they contain
// the secrets of other nodes. A place is noted before its first piece is shipped, so some may
// be empty. When the log is deleted, the book remains until the pieces are deleted too.
const bookName = "shipped"

// book returns the path of the log's book.
func (f *follower) book() string { return filepath.Join(string(f.store), bookName) }

// note adds the place of a piece to the book, unless it is already the last place of the
// piece's file.
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
	return used, ignoreNotExist(err)
}
