package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// startLoad keeps every core busy and one more process waiting for a core,
// until stop is called.
func startLoad(dir string) (stop func(), err error) {
	var cmds []*exec.Cmd
	stop = func() {
		for _, c := range cmds {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}
	for range runtime.NumCPU() + 1 {
		c := exec.Command(filepath.Join(dir, spinName))
		c.Stdin = nil
		if err := c.Start(); err != nil {
			stop()
			return nil, err
		}
		cmds = append(cmds, c)
	}
	return stop, nil
}

// spinForever computes until its parent process is gone.
func spinForever() {
	parent := os.Getppid()
	for os.Getppid() == parent {
		for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
		}
	}
}

// echoMain serves one tool that answers at once, to measure the cost of a call
// itself.
func echoMain() int {
	s := mcp.NewServer(&mcp.Implementation{Name: echoName, Version: "1"}, nil)
	type text struct {
		Text string `json:"text"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Returns its argument."}, func(_ context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, text, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, in, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

// overhead measures calls to the echo server, that is, what the client, the pipes
// and the protocol add to every latency in the table.
func overhead(ctx context.Context, p place) (p50, p99 time.Duration, err error) {
	conn, err := peer.Connect(ctx, exec.Command(filepath.Join(p.dir, echoName)))
	if err != nil {
		return 0, 0, err
	}
	c := &client{conn}
	defer c.Close()
	var all []time.Duration
	for range 300 {
		from := time.Now()
		if _, _, err := c.call(ctx, "echo", map[string]any{"text": "hello"}); err != nil {
			return 0, 0, err
		}
		all = append(all, time.Since(from))
		peer.Pause(ctx, 2*time.Millisecond)
	}
	slices.Sort(all)
	return percentile(all, 50), percentile(all, 99), nil
}

// percentile returns the smallest of the sorted values that at least p percent of
// them do not exceed.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
