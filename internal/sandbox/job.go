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
}

// A State describes a session's sandbox to its users. The tag doc describes a field to clients.
type State struct {
	Backend Backend  `json:"backend" doc:"landlock or bwrap"`
	Strict  bool     `json:"strict,omitempty"`
	Write   []string `json:"write" doc:"paths that may be written, in addition to $TMPDIR"`
	Network Network  `json:"network" doc:"all, ports, private or none"`
	Ports   []uint16 `json:"ports,omitempty" doc:"TCP ports that may be connected to"`
	Limits
	Missing  []string `json:"missing,omitempty" doc:"parts that are not enforced"`
	Withheld []string `json:"withheld,omitempty" doc:"environment variables that the program did not get"`
}
