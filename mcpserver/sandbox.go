package mcpserver

import (
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// sandboxArgs contains the sandbox settings of one session.
type sandboxArgs struct {
	Strict    bool   `json:"strict" doc:"an error when this machine cannot enforce all of it"`
	ReadOnly  bool   `json:"read_only" doc:"the working directory cannot be written either"`
	Network   string `json:"network" enum:"private,none" doc:"private: a localhost of its own; default the server's"`
	Processes int    `json:"processes" min:"1" max:"1073741824" doc:"beyond those of the user"`
	Memory    int    `json:"memory" min:"1" max:"1073741824" doc:"megabytes of data of a process"`
	Files     int    `json:"files" min:"1" max:"1073741824" doc:"open at once in a process"`
	CPU       int    `json:"cpu" min:"1" max:"1073741824" doc:"seconds of a process"`
	FileSize  int    `json:"file_size" min:"1" max:"1073741824" doc:"megabytes of a file that is written"`
}

// request returns the sandbox that the call asks for, or nil if a is nil.
func (a *sandboxArgs) request() *sandbox.Request {
	if a == nil {
		return nil
	}
	return &sandbox.Request{
		Strict: a.Strict, ReadOnly: a.ReadOnly, Network: sandbox.Network(a.Network),
		Limits: sandbox.Limits{
			Processes: a.Processes, Memory: int64(a.Memory) << 20, Files: a.Files, CPU: a.CPU, FileSize: int64(a.FileSize) << 20,
		},
	}
}

// sandboxInfo describes the sandbox of a session.
type sandboxInfo struct {
	Backend   string   `json:"backend" doc:"landlock or bwrap"`
	Strict    bool     `json:"strict,omitempty"`
	Write     []string `json:"write" doc:"paths that may be written, in addition to $TMPDIR"`
	Network   string   `json:"network" doc:"all, ports, private or none"`
	Ports     []int    `json:"ports,omitempty" doc:"TCP ports that may be connected to"`
	Processes int      `json:"processes,omitempty" doc:"limit"`
	Memory    int64    `json:"memory,omitempty" doc:"limit of a process, bytes"`
	Files     int      `json:"files,omitempty" doc:"limit of a process"`
	CPU       int      `json:"cpu,omitempty" doc:"limit of a process, seconds"`
	FileSize  int64    `json:"file_size,omitempty" doc:"limit, bytes"`
	Missing   []string `json:"missing,omitempty" doc:"parts that are not enforced"`
	Withheld  []string `json:"withheld,omitempty" doc:"environment variables that the program did not get"`
}

// newSandboxInfo describes a sandbox for clients. It returns nil if s is nil.
func newSandboxInfo(s *sandbox.State) *sandboxInfo {
	if s == nil {
		return nil
	}
	info := &sandboxInfo{
		Backend: string(s.Backend), Strict: s.Strict, Write: append([]string{}, s.Write...), Network: string(s.Network),
		Processes: s.Limits.Processes, Memory: s.Limits.Memory, Files: s.Limits.Files, CPU: s.Limits.CPU, FileSize: s.Limits.FileSize,
		Missing: s.Missing, Withheld: s.Withheld,
	}
	for _, p := range s.Ports {
		info.Ports = append(info.Ports, int(p))
	}
	return info
}

// line describes the sandbox in one line for the model.
func (s *sandboxInfo) line() string {
	text := s.Backend
	if s.Strict {
		text += ", strict"
	}
	text += ", writes " + strings.Join(append(append([]string{}, s.Write...), "$TMPDIR"), " ") + ", network " + s.Network
	if len(s.Ports) > 0 {
		text += " " + strings.Trim(fmt.Sprint(s.Ports), "[]")
	}
	if len(s.Missing) > 0 {
		text += "; not enforced: " + strings.Join(s.Missing, "; ")
	}
	if len(s.Withheld) > 0 {
		text += "; variables withheld: " + strings.Join(s.Withheld, " ")
	}
	return text
}
