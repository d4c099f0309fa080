package sandbox

// A Job is a program to start in a sandbox.
type Job struct {
	Policy Policy `json:"policy"`
	// Writable lists further paths that the program may write, and Readable further paths
	// that it may read.
	Writable []string `json:"writable,omitempty"`
	Readable []string `json:"readable,omitempty"`

	// The program. Prepare sets these fields.
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
	// Bwrap is the path of bwrap, which the launcher cannot look up because its environment
	// is empty.
	Bwrap string `json:"bwrap,omitempty"`
	// Inside says that the job is for the second launcher, inside bwrap's namespaces.
	Inside bool `json:"inside,omitempty"`
}

// A State describes a session's sandbox to its users.
type State struct {
	Backend  Backend  `json:"backend"`
	Strict   bool     `json:"strict,omitempty"`
	Write    []string `json:"write"` // paths that may be written
	Network  Network  `json:"network"`
	Ports    []uint16 `json:"ports,omitempty"`
	Limits   Limits   `json:"limits,omitzero"`
	Missing  []string `json:"missing,omitempty"`  // what is not enforced
	Withheld []string `json:"withheld,omitempty"` // names of variables withheld from the program
}
