package packaging_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// testArchive checks that the archives of all platforms have the same files, and runs what
// this platform's archive contains.
func testArchive(t *testing.T, dist string) {
	var want []string
	for _, system := range []string{"linux", "darwin"} {
		for _, arch := range []string{"amd64", "arm64"} {
			files, dir := untar(t, filepath.Join(dist, "glasstty_"+version+"_"+system+"_"+arch+".tar.gz"))
			for i := range files {
				_, files[i], _ = strings.Cut(files[i], "/")
			}
			if want == nil {
				want = files
				for _, file := range []string{"LICENSE", "THIRD_PARTY_NOTICES", "completions/_glasstty", "completions/glasstty.fish", "man/glasstty.1"} {
					if !slices.Contains(files, file) {
						t.Errorf("the archive has no %s", file)
					}
				}
			}
			if !slices.Equal(files, want) {
				t.Errorf("%s/%s has %q, want %q", system, arch, files, want)
			}
			if system != runtime.GOOS || arch != runtime.GOARCH {
				continue
			}
			root := filepath.Join(dir, "glasstty_"+version+"_"+system+"_"+arch)
			m := machineWith(t, "bash")
			m.works(t, filepath.Join(root, "glasstty"))
			testCompletion(t, m, filepath.Join(root, "completions", "glasstty.bash"))
		}
	}
}

// testCompletion checks that bash loads the completion script.
func testCompletion(t *testing.T, m machine, script string) {
	t.Helper()
	if out := run(t, m.command(t, need.Program(t, "bash"), "--norc", "-c", `. "$1" && complete -p glasstty`, "-", script)); !strings.Contains(out, "_glasstty") {
		t.Errorf("completion of bash: %q", out)
	}
}

// untar unpacks a tar.gz file and returns its files and the directory.
func untar(t *testing.T, path string) (files []string, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(files)
			return files, dir
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		files = append(files, h.Name)
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, os.FileMode(h.Mode).Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// installed returns files that all Linux packages contain.
func installed() []string {
	return []string{
		"usr/bin/glasstty", "usr/share/man/man1/glasstty.1.gz", "usr/share/doc/glasstty/THIRD_PARTY_NOTICES",
		"usr/share/bash-completion/completions/glasstty", "usr/share/fish/vendor_completions.d/glasstty.fish",
	}
}

// testDeb installs the package with dpkg into an empty root, runs it, and checks that
// removing it leaves no program.
func testDeb(t *testing.T, dist string) {
	dpkg := need.Program(t, "dpkg")
	deb := filepath.Join(dist, "glasstty_"+strings.Replace(version, "-", "~", 1)+"_"+runtime.GOARCH+".deb")
	root := t.TempDir()
	if os.Geteuid() != 0 { // only root can use dpkg, which gives the files to root
		run(t, exec.Command(need.Program(t, "dpkg-deb"), "--extract", deb, root))
	} else {
		for _, dir := range []string{"info", "updates", "triggers"} {
			if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, exec.Command(dpkg, "--root="+root, "--install", deb))
	}
	for _, file := range append(installed(), "usr/share/doc/glasstty/copyright", "usr/share/zsh/vendor-completions/_glasstty") {
		if info, err := os.Stat(filepath.Join(root, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	m := machineWith(t, "bash")
	m.works(t, filepath.Join(root, "usr/bin/glasstty"))
	testCompletion(t, m, filepath.Join(root, "usr/share/bash-completion/completions/glasstty"))
	if os.Geteuid() == 0 {
		run(t, exec.Command(dpkg, "--root="+root, "--purge", "glasstty"))
		if _, err := os.Stat(filepath.Join(root, "usr/bin/glasstty")); !os.IsNotExist(err) {
			t.Errorf("the program is left after dpkg --purge: %v", err)
		}
	}
}

// testApk checks the files of the package, which is a tar.gz file, and runs its program.
func testApk(t *testing.T, dist string) {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	files, dir := untar(t, filepath.Join(dist, "glasstty_"+strings.Replace(version, "-", "_", 1)+"_"+arch+".apk"))
	for _, file := range append(installed(), ".PKGINFO", "usr/share/zsh/site-functions/_glasstty", "usr/share/licenses/glasstty/LICENSE") {
		if !slices.Contains(files, file) {
			t.Errorf("no %s in %q", file, files)
		}
	}
	machineWith(t).works(t, filepath.Join(dir, "usr/bin/glasstty"))
}

// testRPM checks the list of files in the package.
func testRPM(t *testing.T, dist string) {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	files, err := filepath.Glob(filepath.Join(dist, "glasstty-*."+arch+".rpm"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	list := strings.Fields(run(t, exec.Command(need.Program(t, "rpm"), "--query", "--package", "--list", files[0])))
	for _, file := range append(installed(), "usr/share/zsh/site-functions/_glasstty", "usr/share/licenses/glasstty/LICENSE") {
		if !slices.Contains(list, "/"+file) {
			t.Errorf("no %s in %q", file, list)
		}
	}
}
