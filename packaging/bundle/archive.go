package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A file is one member of an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// memberTime returns the modification time of all members. It is fixed, so that builds are reproducible.
// npm pack uses the same time. Zip files cannot store times before 1980.
func memberTime() time.Time { return time.Date(1985, time.October, 26, 8, 15, 0, 0, time.UTC) }

// writeTarball writes a tar.gz file with the modes of its members.
func writeTarball(path string, files []file) error {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: memberTime(), Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return writeFile(path, out.Bytes())
}

// writeZip writes a zip file with the modes of its members.
func writeZip(path string, files []file) error {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: memberTime()}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return writeFile(path, out.Bytes())
}

// writeFile writes a file, and creates its directory.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), programMode); err != nil {
		return err
	}
	return os.WriteFile(path, data, fileMode)
}
