package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/google/renameio/v2"
)

// A Store stores a log's files by name.
type Store interface {
	// Create creates a file that is only appended to. The file must not exist.
	Create(name string) (File, error)
	// Open opens a file for reading, and returns its current size.
	Open(name string) (f io.ReadCloser, size int64, err error)
	// Put creates or replaces a file atomically.
	Put(name string, data []byte) error
	// Names returns the names of all files, sorted.
	Names() ([]string, error)
	Remove(name string) error
}

// A File is a file of a Store that is open for appending.
type File interface {
	io.WriteCloser
	Truncate(size int64) error
}

// load returns the content of a file. The error wraps ErrNoLog if there is no such file, or if the
// file has more than limit bytes.
func load(st Store, name string, limit int64) ([]byte, error) {
	f, size, err := st.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: it has no %s", ErrNoLog, name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, fmt.Errorf("%w: %s has %d bytes", ErrNoLog, name, size)
	}
	return io.ReadAll(f)
}

// Modes of files and directories. A log contains everything that a program has shown, so only
// its user may read it.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// DirStore stores a log in a directory, which Create makes if it is missing. It is safe for
// concurrent use.
type DirStore string

// Create creates a file with mode 0600.
func (d DirStore) Create(name string) (File, error) {
	f, err := os.OpenFile(filepath.Join(string(d), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, fileMode)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.Mkdir(string(d), dirMode); err == nil {
			return d.Create(name)
		}
	}
	return f, err
}

// Open opens a file.
func (d DirStore) Open(name string) (io.ReadCloser, int64, error) {
	f, err := os.Open(filepath.Join(string(d), name))
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// Put writes a temporary file and renames it.
func (d DirStore) Put(name string, data []byte) error {
	return renameio.WriteFile(filepath.Join(string(d), name), data, fileMode, renameio.IgnoreUmask())
}

// Names returns the names of the directory's entries.
func (d DirStore) Names() ([]string, error) {
	list, err := os.ReadDir(string(d))
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names, err
}

// Remove removes a file.
func (d DirStore) Remove(name string) error { return os.Remove(filepath.Join(string(d), name)) }

// Discard removes the directory and the log in it.
func (d DirStore) Discard() error { return os.RemoveAll(string(d)) }

// A MemStore stores a log in memory. The zero value is empty. It is safe for concurrent use.
type MemStore struct {
	mu    sync.Mutex // guards what follows
	files map[string]*memFile
}

// A memFile is a file of a MemStore.
type memFile struct {
	s    *MemStore
	data []byte // bytes that were written never change, so that readers may use them while the file grows
}

// Create creates a file.
func (s *MemStore) Create(name string) (File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files[name] != nil {
		return nil, fs.ErrExist
	}
	return s.putLocked(name, nil), nil
}

// putLocked creates or replaces a file.
func (s *MemStore) putLocked(name string, data []byte) *memFile {
	if s.files == nil {
		s.files = map[string]*memFile{}
	}
	s.files[name] = &memFile{s, data}
	return s.files[name]
}

// Write appends p.
func (f *memFile) Write(p []byte) (int, error) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	f.data = append(f.data, p...)
	return len(p), nil
}

// Truncate shortens the file. It copies the rest, so that Write does not overwrite bytes that readers use.
func (f *memFile) Truncate(size int64) error {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	f.data = slices.Clone(f.data[:min(size, int64(len(f.data)))])
	return nil
}

// Close does nothing.
func (*memFile) Close() error { return nil }

// Open returns the current bytes of a file.
func (s *MemStore) Open(name string) (io.ReadCloser, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[name]
	if f == nil {
		return nil, 0, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(f.data)), int64(len(f.data)), nil
}

// Put replaces a file.
func (s *MemStore) Put(name string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.putLocked(name, slices.Clone(data))
	return nil
}

// Names returns the names of the files.
func (s *MemStore) Names() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.files)), nil
}

// Remove removes a file.
func (s *MemStore) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, name)
	return nil
}
