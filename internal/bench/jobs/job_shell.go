package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

const installSh = `#!/bin/sh
# Installs nothing, but asks as installers do.
echo 'Acme Tools 2.1 installer'
echo 'This is free software; see LICENSE for the terms.'
printf 'Accept the license? [y/N] '
read answer
[ "$answer" = y ] || { echo 'Not accepted.'; exit 1; }
printf 'Install to [/usr/local]: '
read dir
echo 'Components:'
echo '  1) tools only'
echo '  2) tools and manual'
echo '  3) everything'
printf 'Choose [1-3]: '
read parts
mkdir -p "$dir" || exit 1
i=0
while [ $i -lt 200 ]; do
	i=$((i + 1))
	printf '\rUnpacking %3d/200' $i
done
echo
echo "components=$parts" > "$dir/acme.conf"
echo "Installed in $dir."
`

// installerJob answers the questions of an installer, which then shows its
// progress in one line.
func installerJob() job {
	return job{
		name: "answer an installer", needs: []string{"sh"},
		prepare: func(_ context.Context, f *site) error { return f.write("install.sh", installSh, 0o755) },
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"./install.sh"}}, `\[y/N\]`)
			a.line("y", `\[/usr/local\]`)
			a.line("opt", `\[1-3\]`)
			a.line("2", `Installed in opt|(?i)exit code 0`)
		},
		check: func(f *site, _ string) error {
			got, err := f.read("opt/acme.conf")
			if err == nil && got != "components=2\n" {
				err = fmt.Errorf("acme.conf is %q", got)
			}
			return err
		},
	}
}

const (
	buildParts = 120
	brokenPart = 107
)

// buildJob reads why a build of 120 parts fails, corrects it and builds again.
func buildJob() job {
	fix := fmt.Sprintf("sed -i 's/done done/done/' src/part_%d.sh && make", brokenPart)
	return job{
		name: "a failing build", needs: []string{"bash", "make", "sh"},
		prepare: prepareBuild,
		script: func(a *agent, _ *site) {
			const failed, built = `(?i)syntax error(.*\n)*.*Error 2`, `(?m)^all parts built`
			if a.server == peer.Desktop { // Each of its processes is a line of a shell, and it shows all of a log.
				a.run(program{shell: "make 2>&1 | tail -n 20"}, failed)
				a.run(program{shell: fix + " 2>&1 | tail -n 20"}, built)
				return
			}
			a.run(program{argv: []string{"bash"}, text: "make", terse: true}, failed)
			a.line(fix, built)
		},
		check: func(f *site, _ string) error {
			made, err := filepath.Glob(filepath.Join(f.dir, "out", "*.ok"))
			if err == nil && len(made) != buildParts {
				err = fmt.Errorf("%d of %d parts are built", len(made), buildParts)
			}
			return err
		},
	}
}

// prepareBuild writes the makefile and the parts, one of which has an error.
func prepareBuild(_ context.Context, f *site) error {
	var rules, objects strings.Builder
	for i := 1; i <= buildParts; i++ {
		part := fmt.Sprintf("part_%d", i)
		end := "done"
		if i == brokenPart {
			end = "done done"
		}
		text := fmt.Sprintf("#!/bin/sh\nfor f in \"$@\"; do\n\techo %s \"$f\"\n%s\n", part, end)
		if err := f.write("src/"+part+".sh", text, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&objects, " out/%s.ok", part)
		fmt.Fprintf(&rules, "out/%[1]s.ok: src/%[1]s.sh\n\tsh -n src/%[1]s.sh && : > $@\n", part)
	}
	makefile := "all:" + objects.String() + "\n\t@echo all parts built\n" + rules.String()
	if err := os.Mkdir(filepath.Join(f.dir, "out"), 0o755); err != nil {
		return err
	}
	return f.write("Makefile", makefile, 0o644)
}

// gitJob stages one of two changes in a file and commits it.
func gitJob() job {
	return job{
		name: "git add -p", needs: []string{"git"},
		prepare: prepareGit,
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"git", "add", "-p"}}, `(?s)setting_4 = 13.*Stage this hunk`)
			a.line("y", `# try`)
			a.line("n", `.`)
			a.run(program{argv: []string{"git", "commit", "-m", "Correct setting 4"}}, anything)
		},
		check: func(f *site, _ string) error {
			return eventually(func() error {
				out, err := f.exec(context.Background(), nil, "git", "show", "--format=%s", "-U0")
				if err == nil && (!strings.HasPrefix(out, "Correct setting 4\n") || !strings.Contains(out, "+setting_4 = 13") || strings.Contains(out, "setting_25 = 0")) {
					return fmt.Errorf("the commit is\n%s", out)
				}
				return err
			})
		},
	}
}

// prepareGit makes a repository with one file, changed in two places.
func prepareGit(ctx context.Context, f *site) error {
	var old strings.Builder
	for i := 1; i <= 30; i++ {
		fmt.Fprintf(&old, "setting_%d = %d\n", i, i*3)
	}
	if err := f.write("app.conf", old.String(), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "A"},
		{"config", "user.email", "a@example.org"},
		{"add", "app.conf"},
		{"commit", "-qm", "start"},
	} {
		if _, err := f.exec(ctx, nil, append([]string{"git"}, args...)...); err != nil {
			return err
		}
	}
	changed := strings.NewReplacer("setting_4 = 12", "setting_4 = 13", "setting_25 = 75", "setting_25 = 0  # try").Replace(old.String())
	return f.write("app.conf", changed, 0o644)
}

const (
	passphrase = "correct horse"
	sshErrors  = 37 // of the log lines on the other machine
)

// sshJob logs in with a key that has a passphrase and counts errors in a log.
func sshJob() job {
	return job{
		name: "an ssh login", needs: []string{"ssh", "sshd", "ssh-keygen", "bash"},
		prepare: prepareSSH,
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"ssh", "-F", "ssh_config", "web1"}}, `passphrase`)
			a.line(passphrase, `web1[$#]`)
			lookAround(a)
		},
		without: func(a *agent, _ *site) { // ssh asks only a terminal, or a program like this.
			a.run(program{shell: "printf '#!/bin/sh\\necho " + passphrase + "\\n' >ask; chmod 700 ask; " +
				"SSH_ASKPASS=./ask SSH_ASKPASS_REQUIRE=force ssh -tt -F ssh_config web1"}, `web1[$#]`)
			lookAround(a)
		},
		check: func(f *site, read string) error {
			if _, err := os.Stat(filepath.Join(f.dir, "remote", "seen")); err != nil {
				return err
			}
			return contains(read, "app.log", fmt.Sprint(sshErrors))
		},
	}
}

// lookAround is what is done after the login.
func lookAround(a *agent) {
	a.line("ls", `app\.log`)
	a.together(say("grep -c ERROR app.log", fmt.Sprintf(`%d\r?\n`, sshErrors)),
		say("tail -n 2 app.log", `request 400`), say("touch seen && ls", `seen`))
}

// prepareSSH starts an sshd whose logins find a log to look at.
func prepareSSH(ctx context.Context, f *site) error {
	var log strings.Builder
	for i := 1; i <= 400; i++ {
		level := "INFO"
		if i%11 == 0 || i == 1 {
			level = "ERROR"
		}
		fmt.Fprintf(&log, "12:%02d:%02d %s request %d\n", i/60, i%60, level, i)
	}
	if err := f.write("remote/app.log", log.String(), 0o644); err != nil {
		return err
	}
	dir := filepath.Join(f.dir, "sshd")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	s, err := peer.StartSSH(ctx, dir, os.Getenv("PATH"), passphrase)
	if err != nil {
		return err
	}
	f.ssh = s
	f.cleanup = append(f.cleanup, s.Close)
	remote := filepath.Join(f.dir, "remote")
	if err := f.write("remote/.rc", "PS1='web1\\$ '\n", 0o600); err != nil {
		return err
	}
	conf := fmt.Sprintf("Host web1\n\tHostName 127.0.0.1\n\tPort %d\n\tUser %s\n\tIdentityFile %s\n\tIdentitiesOnly yes\n\tStrictHostKeyChecking no\n\tUserKnownHostsFile /dev/null\n\tLogLevel ERROR\n\tRequestTTY yes\n\tRemoteCommand cd %s && exec bash --rcfile .rc\n",
		s.Port, s.User(), s.Key, remote)
	return f.write("ssh_config", conf, 0o600)
}
