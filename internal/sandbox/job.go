package sandbox

// A Job is one program on its way into its sandbox.
type Job struct {
	Policy Policy `json:"policy"`
	// Writable are further paths that the program may write, and Readable those
	// that it must be able to read.
	Writable []string `json:"writable,omitempty"`
	Readable []string `json:"readable,omitempty"`

	// Of the program; Launch fills them in.
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
	// Bwrap is the file of that program, which the launcher, whose environment is
	// empty, could not find.
	Bwrap string `json:"bwrap,omitempty"`
	// Inside says that a first launcher has made the namespaces.
	Inside bool `json:"inside,omitempty"`
}

// A State is what a session's users are told of its sandbox.
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
