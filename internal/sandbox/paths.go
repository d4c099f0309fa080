package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// systemDirs are the system's directories that every program may read.
var systemDirs = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/opt", "/nix", "/proc", "/sys", "/boot",
	"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/var/lib/dpkg", "/var/lib/ghostscript",
}

// unwritable lists the system's directories that programs may not write, even as working
// directories.
var unwritable = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/nix", "/proc", "/sys", "/boot", "/dev", "/run",
	"/var/lib", "/var/spool", "/var/run", "/var/log", "/var/cache", "/var/mail",
}

// tempPrefix is the prefix of the names of all sessions' temporary directories.
const tempPrefix = "glasstty-"

// WhyNotWritable returns why programs that are started in dir may not write in dir, or "" if they may. The model
// chooses dir. So, except inside Write, WhyNotWritable refuses directories that contain or are in a path of Protect
// or Hide, directories of the system and of other sessions, the home directory, and hidden directories in the latter.
func (p Policy) WhyNotWritable(dir string) string {
	for _, w := range p.Write {
		if within(dir, w) {
			return ""
		}
	}
	for _, own := range append(p.Protect, p.Hide...) {
		if within(own, dir) || within(dir, own) {
			return "it holds " + own + ", which is protected"
		}
	}
	if rest, ok := strings.CutPrefix(dir, os.TempDir()+"/"+tempPrefix); ok && rest != "" {
		return "it belongs to another session"
	}
	for _, s := range unwritable {
		if within(dir, s) || within(s, dir) {
			return "it belongs to the system"
		}
	}
	return whyNotInHome(dir)
}

// whyNotInHome returns why a directory in the user's home may not be written, or "" if it may.
func whyNotInHome(dir string) string {
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

// overlaps describes the paths of Protect and Hide that cannot be protected because they are inside paths of
// Write. Landlock can protect none of these. bwrap can protect a path directly in a directory of Write; if the
// path is deeper, a program can rename the parent directory and create another one in its place.
func (p Policy) overlaps() []string {
	var out []string
	for _, w := range p.Write {
		for _, own := range append(p.Protect, p.Hide...) {
			if within(own, w) && (p.Backend != Bwrap || filepath.Dir(own) != w) {
				out = append(out, fmt.Sprintf("the protection of %s, which lies inside %s", own, w))
			}
		}
	}
	return out
}
