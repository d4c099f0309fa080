package main

import "github.com/glasstty/glasstty/internal/bench/peer"

// sshArgs are ssh's arguments for a login with a terminal.
func sshArgs(s *peer.SSHServer) []string {
	return append(append([]string{"-tt"}, s.Login("-p")...), "exec", "bash", "--norc")
}

// sftpArgs are sftp's arguments. It is tried with its local commands.
func sftpArgs(s *peer.SSHServer) []string { return s.Login("-P") }

// sshSetup are the lines that make the remote shell send marks, as a user's own
// shell integration would: they carry no nonce that glasstty could know.
func sshSetup(marks bool) []string {
	if !marks {
		return nil
	}
	return []string{`PS0='\e]133;C\a'; PROMPT_COMMAND='printf "\e]133;D;$?\a"'; PS1='\[\e]133;A\a\]remote$ \[\e]133;B\a\]'`}
}
