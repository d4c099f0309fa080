package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/fleet"
)

// manifestName is the name of a manifest: a file in a log's directory that lists the places (file
// and offset) of the shipped pieces. NATS cannot list them, because a node may not read the
// subjects of a stream: they contain the secrets of other nodes. A place is added before a piece is
// shipped to it, so there may be no piece at the last place. If a user deletes the log, Forget
// moves the manifest to Shipper.dir, where it remains until the pieces are deleted.
const manifestName = "shipped"

// manifestPath returns the path of the log's manifest.
func (f *follower) manifestPath() string { return filepath.Join(string(f.store), manifestName) }

// addToManifest adds the place of a piece to the manifest, unless the manifest's last line for this
// file is that place.
func (f *follower) addToManifest(p fleet.Piece) error {
	if last, ok := f.manifest[p.File]; ok && last == p.Offset {
		return nil
	}
	file, err := os.OpenFile(f.manifestPath(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(file, "%s %d\n", p.File, p.Offset); err == nil {
		f.manifest[p.File] = p.Offset
	}
	return errors.Join(err, file.Close())
}

// readManifest returns the pieces that a manifest lists, without their data. If there is no
// manifest, it returns none.
func readManifest(path string) (pieces []fleet.Piece, err error) {
	text, err := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		var p fleet.Piece
		if n, _ := fmt.Sscanf(line, "%s %d\n", &p.File, &p.Offset); n == 2 {
			pieces = append(pieces, p)
		}
	}
	return pieces, ignoreNotExist(err)
}
