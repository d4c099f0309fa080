package eventlog

import (
	"encoding/json"
	"fmt"
	"time"
)

// Meta describes a log's session, in addition to its events.
type Meta struct {
	Format    int        `json:"format"` // set by SaveMeta to the version of the log's format
	Session   string     `json:"session"`
	Name      string     `json:"name,omitempty"`
	Command   string     `json:"command"`
	Args      []string   `json:"args,omitempty"`
	Dir       string     `json:"dir,omitempty"` // working directory at the start
	Pipe      bool       `json:"pipe,omitempty"`
	PID       int        `json:"pid,omitempty"`
	Tag       string     `json:"tag,omitempty"` // identifies the child's process tree, see child.Child
	CreatedAt time.Time  `json:"created_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
	Status    string     `json:"status"` // running, exited or lost
	ExitCode  *int       `json:"exit_code,omitempty"`
}

// maxMeta is the maximum size of a metadata file, in bytes. Arguments may be long.
const maxMeta = 16 << 20

// SaveMeta replaces a session's metadata atomically.
func SaveMeta(st Store, m Meta) error {
	m.Format = format
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return st.Put(MetaName, append(b, '\n'))
}

// LoadMeta loads a session's metadata. The error wraps ErrNoLog if the file is missing or
// damaged, and ErrVersion if it has a newer version.
func LoadMeta(st Store) (m Meta, err error) {
	b, err := load(st, MetaName, maxMeta)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("%w: %s: %w", ErrNoLog, MetaName, err)
	}
	if m.Format > format {
		return m, fmt.Errorf("%s: format %d: %w", MetaName, m.Format, ErrVersion)
	}
	return m, nil
}
