package sandbox

// A Job is a program to start in a sandbox.
type Job struct {
	Policy Policy `json:"policy"`
	// Writable lists further paths that the program may write, and Readable further paths
	// that it may read.
	Writable []string `json:"writable,omitempty"`
	Readable []string `json:"readable,omitempty"`

	// Of the program; Launch fills them in.
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
	// Bwrap is the path of bwrap, which the launcher cannot look up, since its environment
	// is empty.
	Bwrap string `json:"bwrap,omitempty"`
	// Inside says that a first launcher has made the namespaces.
	Inside bool `json:"inside,omitempty"`
}

// A State describes a session's sandbox to its users.
type State struct {
	Backend  Backend  `json:"backend"`
	Strict   bool     `json:"strict,omitempty"`
	Write    []string `json:"write"` // what may be written
	Network  Network  `json:"network"`
	Ports    []uint16 `json:"ports,omitempty"`
	Limits   Limits   `json:"limits,omitzero"`
	Missing  []string `json:"missing,omitempty"`  // what is not enforced
	Withheld []string `json:"withheld,omitempty"` // variables that the program did not get
}
