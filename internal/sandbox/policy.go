package sandbox

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Backend enforces a Policy.
type Backend string

// The backends.
const (
	// Landlock restricts the program with the kernel's Landlock and seccomp. It needs no
	// privileges and no other program.
	Landlock Backend = "landlock"
	// Bwrap starts the program in namespaces created by bubblewrap.
	Bwrap Backend = "bwrap"
)

// A Network says which network connections a program may make.
type Network string

// The settings of Network.
const (
	NetworkAll   Network = "all"
	NetworkPorts Network = "ports" // TCP only to the Policy's ports; UDP to any address
	// NetworkPrivate is a separate network that has only a loopback interface.
	NetworkPrivate Network = "private"
	NetworkNone    Network = "none" // no internet sockets at all
)

// networks lists the settings of Network.
var networks = []Network{NetworkAll, NetworkPorts, NetworkPrivate, NetworkNone}

// Limits are limits of setrlimit(2). Each applies to every process separately, except Processes,
// which limits the number of all processes and threads of the user. 0 means no limit.
type Limits struct {
	Processes int   `json:"processes,omitempty" doc:"limit"`                  // in addition to those at the start
	Memory    int64 `json:"memory,omitempty" doc:"limit of a process, bytes"` // of data
	Files     int   `json:"files,omitempty" doc:"limit of a process"`         // open at once
	CPU       int   `json:"cpu,omitempty" doc:"limit of a process, seconds"`  // of processor time
}

// A Policy says what the programs of a session may do. With the zero value they may read
// everything, and write in their working directory and in the session's temporary
// directory.
type Policy struct {
	Strict  bool    `json:"strict,omitempty"`  // a rule that cannot be enforced is an error
	Backend Backend `json:"backend,omitempty"` // default Landlock
	// Write lists files and directories that may be written, in addition to the working
	// directory and the session's temporary directory.
	Write []string `json:"write,omitempty"`
	// Read lists what may be read, in addition to what may be written and the system's
	// directories. If it is empty, everything may be read.
	Read []string `json:"read,omitempty"`
	// Hide lists what may neither be read nor written.
	Hide []string `json:"hide,omitempty"`
	// Protect lists the server's files, which may never be written. Landlock ignores Hide and Protect inside Write.
	Protect []string `json:"protect,omitempty"`
	Network Network  `json:"network,omitempty"` // default NetworkAll
	Ports   []uint16 `json:"ports,omitempty"`   // for NetworkPorts
	// Sockets allows connections to local (Unix) sockets, for example of agents, desktops and daemons.
	// These can do for a program what the program may not do itself.
	Sockets bool   `json:"sockets,omitempty"`
	Limits  Limits `json:"limits,omitzero"`
}

// Check returns p with defaults for empty settings and its paths resolved, or an error that
// names an invalid setting.
func (p Policy) Check() (Policy, error) {
	p.Backend, p.Network = cmp.Or(p.Backend, Landlock), cmp.Or(p.Network, NetworkAll)
	switch {
	case p.Backend != Landlock && p.Backend != Bwrap:
		return p, fmt.Errorf("%w: backend %q; use landlock or bwrap", ErrPolicy, p.Backend)
	case !slices.Contains(networks, p.Network):
		return p, fmt.Errorf("%w: network %q; use all, none, private or ports", ErrPolicy, p.Network)
	}
	var err error
	for _, l := range []struct {
		what      string
		paths     *[]string
		mustExist bool
	}{{"write", &p.Write, true}, {"read", &p.Read, true}, {"hide", &p.Hide, false}, {"protect", &p.Protect, false}} {
		if *l.paths, err = resolveAll(l.what, *l.paths, l.mustExist); err != nil {
			return p, err
		}
	}
	return p, nil
}

// resolveAll returns paths without symbolic links and duplicates. A path that cannot be resolved is
// an error if mustExist is true; otherwise it is only cleaned.
func resolveAll(what string, paths []string, mustExist bool) ([]string, error) {
	var out []string
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("%w: %s %q is not an absolute path", ErrPolicy, what, path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil && mustExist {
			return nil, fmt.Errorf("%w: %s %q: %w", ErrPolicy, what, path, err)
		}
		if err != nil {
			real = filepath.Clean(path)
		}
		if !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	return out, nil
}

// ParseNetwork parses a network setting: all, none, private, or TCP ports. No words mean all.
func ParseNetwork(words []string) (Network, []uint16, error) {
	if len(words) == 1 {
		if n := Network(words[0]); n != NetworkPorts && slices.Contains(networks, n) {
			return n, nil, nil
		}
	}
	var ports []uint16
	for _, w := range words {
		n, err := strconv.ParseUint(w, 10, 16)
		if err != nil || n == 0 {
			return "", nil, fmt.Errorf("%q is not all, none, private, or TCP ports from 1 to 65535 such as 80,443", strings.Join(words, ","))
		}
		ports = append(ports, uint16(n))
	}
	if len(ports) == 0 {
		return NetworkAll, nil, nil
	}
	return NetworkPorts, ports, nil
}

// within reports whether path is dir or below it. Both are clean.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}
