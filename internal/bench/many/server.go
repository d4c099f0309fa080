package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A server is one of the servers under comparison.
type server struct {
	name  string
	home  string
	first *peer.Client
	start func(context.Context) (*peer.Client, error)
	// keeps says that the programs belong to a keeper, whose data directory is in home.
	keeps bool
}

// env returns the environment of the servers.
func env(home string) []string {
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "PS1=$ "}
}

// servers returns the servers that can be compared, not yet started. The errors
// name what is missing.
func servers(ctx context.Context, o options, scratch string) ([]*server, error) {
	binary := o.glasstty
	if binary == "" {
		binary = filepath.Join(scratch, "glasstty")
		if err := peer.Build(ctx, binary); err != nil {
			return nil, err
		}
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	ours := &server{name: peer.Glasstty, keeps: true}
	ours.start = func(ctx context.Context) (*peer.Client, error) {
		p := peer.Place{Home: ours.home, Env: env(ours.home), Dir: ours.home}
		return peer.StartServe(ctx, p, binary, "--max-sessions", strconv.Itoa(maxSessions))
	}
	all := []*server{ours}
	if o.process != "" {
		other := &server{name: peer.Process}
		other.start = func(ctx context.Context) (*peer.Client, error) {
			p := peer.Place{Home: other.home, Env: env(other.home), Dir: other.home}
			return peer.StartProcess(ctx, p, o.process, scratch)
		}
		all = append(all, other)
	}
	return all, nil
}

// begin starts the server in a directory of its own.
func (s *server) begin(ctx context.Context, scratch string) (err error) {
	if s.home, err = os.MkdirTemp(scratch, "home"); err != nil {
		return err
	}
	s.first, err = s.start(ctx)
	return err
}

// connections returns n connections to the server.
func (s *server) connections(ctx context.Context, n int) (conns []*peer.Client, err error) {
	for range n {
		c, err := s.first.Another(ctx)
		if err != nil {
			return conns, err
		}
		conns = append(conns, c)
	}
	return conns, nil
}

// endLimit is the time that a server may take to end its sessions.
const endLimit = time.Minute

// end ends the server with all its sessions. glasstty ends its programs on a signal. When another
// server exits, its terminals are closed.
func (s *server) end(ctx context.Context) {
	pids := s.pids()
	if s.keeps {
		stop(pids[0])
		for limit := time.Now().Add(endLimit); len(keeperOf(filepath.Join(s.home, "data"))) > 0 && time.Now().Before(limit); {
			if !peer.Pause(ctx, 50*time.Millisecond) {
				break
			}
		}
	}
	s.first.Close()
	for _, pid := range pids[1:] {
		stop(pid)
	}
}

// pids returns the server's processes: its own first, then its keeper's.
func (s *server) pids() []int {
	pids := []int{s.first.PID()}
	if s.keeps {
		pids = append(pids, keeperOf(filepath.Join(s.home, "data"))...)
	}
	return pids
}

// call calls a tool and returns its fields.
func call(ctx context.Context, c *peer.Client, tool string, args map[string]any) (map[string]any, error) {
	res, err := c.Call(ctx, tool, args)
	if err != nil {
		return nil, err
	}
	text := peer.Text(res)
	if res.IsError {
		return nil, fmt.Errorf("%s: %.200s", tool, text)
	}
	fields := map[string]any{}
	if res.StructuredContent != nil {
		data, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return nil, err
		}
		return fields, json.Unmarshal(data, &fields)
	}
	return fields, json.Unmarshal([]byte(text), &fields)
}

// sessions returns the ids of the sessions whose programs run.
func (s *server) sessions(ctx context.Context) (ids []string) {
	res, err := s.first.Call(ctx, "list_sessions", nil)
	if err != nil {
		return nil
	}
	var list struct {
		Sessions []struct {
			ID      string `json:"id"`
			Session string `json:"session_id"`
			Status  string `json:"status"`
		} `json:"sessions"`
	}
	data := []byte(peer.Text(res))
	if res.StructuredContent != nil {
		if data, err = json.Marshal(res.StructuredContent); err != nil {
			return nil
		}
	}
	if json.Unmarshal(data, &list) != nil && json.Unmarshal(data, &list.Sessions) != nil {
		return nil
	}
	for _, l := range list.Sessions {
		if l.Status == "running" {
			ids = append(ids, strings.TrimSpace(l.ID+l.Session))
		}
	}
	return ids
}

// startSession starts a program and returns its session's id.
func startSession(ctx context.Context, c *peer.Client, command string, args ...string) (string, error) {
	a := map[string]any{"command": command}
	if len(args) > 0 {
		a["args"] = args
	}
	f, err := call(ctx, c, "start_process", a)
	if err != nil {
		return "", err
	}
	id, _ := f["session_id"].(string)
	if id == "" {
		return "", errors.New("start_process returned no session_id")
	}
	return id, nil
}
