package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/term"

	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/internal/callargs"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/mcpserver"
)

// Exit statuses of call.
const (
	exitNoServer = 3 // there is no server, or it did not answer
	exitTimeout  = 4 // the call's wait has timed out
)

// toolStart is the only tool that glasstty call runs without a server: the others need a session.
const toolStart = "start_process"

// toolSnapshot is the tool whose result may be a picture or another document.
const toolSnapshot = "snapshot"

// callCmd calls one tool. It also implements the commands named after tools, without the argument Tool.
type callCmd struct {
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: that of glasstty serve, when it runs)."`
	JSON   bool   `name:"json" help:"Print the structured result."`
	outFlags
	Tool string   `arg:"" words:"${tools}" help:"The tool's name."`
	Args []string `arg:"" optional:"" name:"key=value" help:"The tool's arguments."`
}

func (c *callCmd) run(ctx context.Context, std stdio) error {
	if c.Output != "" && c.Tool != toolSnapshot {
		return usageError(fmt.Errorf("-o is for %s; the result of %s goes to standard output", toolSnapshot, c.Tool))
	}
	words, err := c.withFormat()
	if err != nil {
		return err
	}
	conn, err := c.connect(ctx, std)
	if err != nil {
		return err
	}
	args, res, err := conn.call(ctx, c.Tool, words)
	// Without a server, close ends the program. If printing failed first, the program would keep running.
	err = errors.Join(err, conn.close())
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if err := c.print(ctx, std, args, res); err != nil {
		return err
	}
	return conn.exitStatus(std.err, res)
}

// withFormat returns the arguments. If -o is set and they lack a format, it adds the format of -o's suffix.
func (c *callCmd) withFormat() ([]string, error) {
	given := ""
	for _, w := range c.Args {
		if format, ok := strings.CutPrefix(w, "format="); ok {
			given = format
		}
	}
	format, err := c.outFlags.format(given, "", screenSuffixes)
	if err != nil || given != "" || c.Output == "" {
		return c.Args, err
	}
	return append(c.Args, "format="+format), nil
}

// errServerGone is returned when the connection ends before the answer arrives.
var errServerGone = errors.New("the server went away in the middle of the call, and its input may or may not have been typed; " +
	"list the sessions (glasstty ls) and look at the screen (glasstty snapshot session_id=…) before you call again")

// call parses words by the tool's input schema and calls the tool. It returns the parsed arguments too.
func (c *connection) call(ctx context.Context, tool string, words []string) (map[string]any, *mcp.CallToolResult, error) {
	schema, err := c.schema(ctx, tool)
	if err != nil {
		return nil, nil, err
	}
	args, err := callargs.Parse(schema, words)
	if err != nil {
		return nil, nil, usageError(fmt.Errorf("%s: %w", tool, err))
	}
	if _, elsewhere := args["host"]; tool == toolStart && !elsewhere {
		if err := resolveDir(args); err != nil {
			return nil, nil, err
		}
	}
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	// Without a progress token, the server would limit the wait to mcpserver.Options.MaxBlock.
	params.SetProgressToken("call")
	res, err := c.client.CallTool(ctx, params)
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		err = errServerGone
	}
	if err != nil {
		return nil, nil, statusError{error: fmt.Errorf("%s: %w", tool, err), status: exitNoServer}
	}
	return args, res, nil
}

// schema returns the server's input schema of a tool.
func (c *connection) schema(ctx context.Context, tool string) ([]byte, error) {
	schemas := map[string]any{}
	for t, err := range c.client.Tools(ctx, nil) {
		if err != nil {
			return nil, statusError{error: fmt.Errorf("list tools: %w", err), status: exitNoServer}
		}
		schemas[t.Name] = t.InputSchema
	}
	schema, ok := schemas[tool]
	if !ok {
		return nil, unknownTool(tool, slices.Sorted(maps.Keys(schemas)))
	}
	return json.Marshal(schema)
}

// resolveDir makes the argument cwd absolute. If cwd is missing, resolveDir sets it to the directory of
// this process, because the server may run in another directory.
func resolveDir(args map[string]any) error {
	cwd, ok := args["cwd"].(string)
	if _, given := args["cwd"]; given && !ok || filepath.IsAbs(cwd) {
		return nil // if cwd is not a string, the server returns the error
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	args["cwd"] = filepath.Join(here, cwd)
	return nil
}

// print prints a result's text, or its JSON with --json. It writes a document, such as a picture, alone,
// and the document's status line to standard error. If the call failed, print returns an error.
func (c *callCmd) print(ctx context.Context, std stdio, args map[string]any, res *mcp.CallToolResult) error {
	if res.IsError {
		err := fmt.Errorf("%s: %s", c.Tool, escapeInvisible(mcpserver.ResultText(res)))
		if res.Meta[mcpserver.MetaRefused] == true {
			return usageError(err)
		}
		return statusError{error: err, status: exitError}
	}
	if c.JSON {
		e := json.NewEncoder(std.out)
		e.SetEscapeHTML(false)
		return e.Encode(res.StructuredContent)
	}
	text := mcpserver.ResultText(res)
	format, _ := args["format"].(string)
	if c.Tool == toolSnapshot && (c.Output != "" || format != "" && format != string(picture.FormatText)) {
		document, status := documentOf(res, text)
		if err := c.checkTerminal(std, format); err != nil {
			return err
		}
		fmt.Fprintln(std.err, escapeInvisible(status))
		return c.write(ctx, std, document)
	}
	if term.IsTerminal(int(std.out.Fd())) {
		text = escapeInvisible(text)
	}
	_, err := fmt.Fprintln(std.out, text)
	return err
}

// documentOf separates a snapshot's result into the document (a picture, HTML, …) and the status line. The
// status line is the last line of the result's text, or for a picture the whole text.
func documentOf(res *mcp.CallToolResult, text string) (document []byte, status string) {
	for _, content := range res.Content {
		if image, ok := content.(*mcp.ImageContent); ok {
			return image.Data, text
		}
	}
	end := strings.LastIndexByte(text, '\n') + 1
	data, _ := res.StructuredContent.(map[string]any)
	drawn, ok := data["content"].(string)
	if !ok {
		drawn = text[:end]
	}
	if drawn != "" && !strings.HasSuffix(drawn, "\n") {
		drawn += "\n"
	}
	return []byte(drawn), text[end:]
}

// escapeInvisible replaces invisible characters by escapes: control characters, except newlines and tabs,
// and characters that could hide or reorder text. Control sequences in program output (with
// strip_ansi=false) or in file names must not reach a person's terminal.
func escapeInvisible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n', r == '\t', !runes.IsInvisible(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// exitStatus returns an error with the status exitTimeout if the wait timed out, and otherwise nil. If
// closing the connection has ended a program that was still running, it warns on stderr.
func (c *connection) exitStatus(stderr io.Writer, res *mcp.CallToolResult) error {
	reply, _ := res.StructuredContent.(map[string]any)
	if alive, _ := reply["is_alive"].(bool); alive && c.stop != nil {
		fmt.Fprintln(stderr, "glasstty: the program was ended with this call; to keep one running, start: glasstty serve")
	}
	if reply["reason"] == "timeout" {
		return statusError{status: exitTimeout}
	}
	return nil
}
