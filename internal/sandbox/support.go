package sandbox

import (
	"fmt"
	"strings"
)

// A Support describes what this machine can enforce.
type Support struct {
	System   string // why there is no sandbox for this system; "" if there is one
	Landlock int    // version of Landlock's interface; 0 if the kernel has no Landlock
	Seccomp  bool   // the kernel has seccomp, and the filter supports this processor
	Bwrap    string // path of the program; "" if it is not installed
	Networks bool   // programs can have their own network
	Root     bool   // the user is root, whose processes the kernel does not count for the limit on processes
}

// The versions of Landlock's interface that added a restriction.
const (
	landlockTruncate = 3
	landlockTCP      = 4
	landlockDevices  = 5
	landlockScopes   = 6
	landlockSockets  = 9 // local sockets that have a path
)

// Missing describes the parts of a Policy that this machine cannot enforce.
func (s Support) Missing(p Policy) []string {
	if s.System != "" {
		return []string{s.System}
	}
	var out []string
	add := func(missing bool, what string) {
		if missing {
			out = append(out, what)
		}
	}
	if p.Backend == Bwrap {
		add(s.Bwrap == "", "everything: bwrap is not installed")
	} else {
		add(s.Landlock == 0, "files: this kernel has no Landlock (Linux 5.13, and lsm=landlock)")
		add(s.Landlock > 0 && s.Landlock < landlockTruncate, "emptying files that may only be read (Linux 6.2)")
		add(s.Landlock > 0 && s.Landlock < landlockDevices, "control of devices (Linux 6.10)")
		add(s.Landlock < landlockScopes, "signals to other programs of the user (Linux 6.12)")
		add(p.Network == NetworkPrivate && !s.Networks, "network private: this system lets users make no networks of their own")
	}
	out = append(out, p.overlaps()...)
	add(p.Network == NetworkPorts && s.Landlock < landlockTCP, "network ports (Linux 6.7)")
	add(!s.Seccomp, "kinds of sockets, system calls: this kernel has no seccomp, or glasstty does not know this processor")
	add(p.Limits.Processes > 0 && s.Root, "the number of processes: the kernel does not count root's; run the server as another user")
	return out
}

// Check returns the parts of a Policy that cannot be enforced. It returns an error if there is no
// sandbox for this system, if bwrap is needed but not installed, or if the Policy is strict and a
// part cannot be enforced.
func (s Support) Check(p Policy) (missing []string, err error) {
	missing = s.Missing(p)
	switch {
	case s.System != "":
		return nil, fmt.Errorf("%w: %s", ErrSystem, s.System)
	case p.Backend == Bwrap && s.Bwrap == "":
		return nil, fmt.Errorf("%w: bwrap is not installed; install it (apt install bubblewrap), or use the backend landlock", ErrEnforce)
	case p.Strict && len(missing) > 0:
		return nil, fmt.Errorf("%w, and it is strict: not enforced would be %s", ErrEnforce, strings.Join(missing, "; "))
	}
	return missing, nil
}
