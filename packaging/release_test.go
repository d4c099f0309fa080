// Package packaging_test builds a release and uses each of its files as a user without Go
// does.
package packaging_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// version is the version of the release under test.
const version = "1.2.3-rc.1"

func TestMain(m *testing.M) { os.Exit(need.Home(m).Run()) }

// TestRelease checks that building a release twice, in two directories, gives the same
// bytes, and that each file can be installed and run.
func TestRelease(t *testing.T) {
	need.Long(t)
	for _, program := range []string{"git", "bash", "gzip"} {
		need.Program(t, program)
	}
	source := snapshotOf(t)
	dist := build(t, source)
	sums := checksums(t, dist)
	t.Run("reproducible", func(t *testing.T) {
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		run(t, exec.Command("git", "clone", "--quiet", source, elsewhere))
		again := checksums(t, build(t, elsewhere))
		for file, sum := range sums {
			if again[file] != sum {
				t.Errorf("%s differs in the second build", file)
			}
		}
		if len(again) != len(sums) {
			t.Errorf("%d files, and %d in the second build", len(sums), len(again))
		}
	})
	t.Run("archive", func(t *testing.T) { testArchive(t, dist) })
	t.Run("deb", func(t *testing.T) { testDeb(t, dist) })
	t.Run("apk", func(t *testing.T) { testApk(t, dist) })
	t.Run("rpm", func(t *testing.T) { testRPM(t, dist) })
	t.Run("npm", func(t *testing.T) { testNpm(t, dist) })
	t.Run("mcpb", func(t *testing.T) { testBundles(t, dist) })
	t.Run("formula", func(t *testing.T) { testFormula(t, dist, sums) })
	t.Run("registry", func(t *testing.T) { testRegistry(t, dist, sums) })
	t.Run("materials", func(t *testing.T) { testMaterials(t, dist) })
}

// TestBuildRefuses checks that the build script rejects invalid versions.
func TestBuildRefuses(t *testing.T) {
	need.Program(t, "git")
	for _, args := range [][]string{nil, {"v1.2.3"}, {"1.2"}, {"latest"}} {
		out, err := exec.Command(need.Program(t, "bash"), append([]string{"./build"}, args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "invalid version") {
			t.Errorf("%q: %v, %s", args, err, out)
		}
	}
}

// snapshotOf returns a repository whose only commit is the current work tree.
func snapshotOf(t *testing.T) string {
	t.Helper()
	root, dir := "..", t.TempDir()
	list, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(strings.TrimRight(string(list), "\x00"), "\x00") {
		copyFile(t, filepath.Join(root, name), filepath.Join(dir, name))
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "--all"},
		{"-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--no-gpg-sign", "--message=test"},
	} {
		git := exec.Command("git", append([]string{"-C", dir}, args...)...)
		git.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v, %s", args, err, out)
		}
	}
	return dir
}

// copyFile copies a file with its mode. It skips a file that was deleted and whose
// deletion is not committed yet.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Lstat(from)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !info.Mode().IsRegular() {
		return
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, info.Mode().Perm()); err != nil {
		t.Fatal(err)
	}
}

// build runs packaging/build in a repository and returns its dist directory.
func build(t *testing.T, repository string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(repository, "packaging", "build"), version).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(repository, "dist")
}

// checksums checks that checksums.txt lists each file of dist with its sum, and returns
// the sums by file.
func checksums(t *testing.T, dist string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, file, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok {
			t.Fatalf("invalid line %q in checksums.txt", line)
		}
		sums[file] = sum
	}
	if err := filepath.Walk(dist, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || info.Name() == "checksums.txt" {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dist, path)
		if sum := sha256.Sum256(data); sums[rel] != hex.EncodeToString(sum[:]) {
			t.Errorf("the checksum of %s is not in checksums.txt", rel)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return sums
}

// run runs a command and returns its output.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", cmd.Args, err, out, stderr.Bytes())
	}
	return string(out)
}
