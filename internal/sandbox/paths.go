package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// systemDirs hold the system's own files: working directories in them are not for
// programs to write, and they can be read whatever else is said.
var systemDirs = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/opt", "/nix", "/proc", "/sys", "/boot",
	"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/var/lib/dpkg", "/var/lib/ghostscript",
}

// unwritable are the parts of a system that are not places for projects.
var unwritable = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/nix", "/proc", "/sys", "/boot", "/dev", "/run",
	"/var/lib", "/var/spool", "/var/run", "/var/log", "/var/cache", "/var/mail",
}

// ownTemp begins the names of the temporary directories that sessions have.
const ownTemp = "glasstty-"

// WorkDir reports why a working directory may not be written by the programs that
// are started in it, "" when it may. The directory is the model's choice, which
// must not widen what the server allows.
func (p Policy) WorkDir(dir string) string {
	if p.ReadOnly {
		return "it was asked to be read-only"
	}
	for _, w := range p.Write {
		if within(dir, w) {
			return ""
		}
	}
	for _, own := range append(p.Keep, p.Hide...) {
		if within(own, dir) || within(dir, own) {
			return "it holds " + own + ", which is protected"
		}
	}
	if rest, ok := strings.CutPrefix(dir, os.TempDir()+"/"+ownTemp); ok && rest != "" {
		return "it belongs to another session"
	}
	for _, s := range unwritable {
		if within(dir, s) || within(s, dir) {
			return "it belongs to the system"
		}
	}
	return homeReason(dir)
}

// homeReason says why a directory is too much of the user's home to be written.
func homeReason(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	if within(home, dir) {
		return "it holds your whole home directory"
	}
	if rest, ok := strings.CutPrefix(dir, home+"/"); ok && strings.HasPrefix(rest, ".") {
		return "it holds settings of yours"
	}
	return ""
}

// overlaps names what of p's Keep and Hide lies inside of what may be written.
func (p Policy) overlaps() []string {
	var out []string
	for _, w := range p.Write {
		for _, own := range append(p.Keep, p.Hide...) {
			if within(own, w) {
				out = append(out, fmt.Sprintf("the protection of %s, which lies inside %s", own, w))
			}
		}
	}
	return out
}
