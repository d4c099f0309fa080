package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// menuJobs are jobs in programs that show a choice and take keys.
func menuJobs() []job {
	return []job{dialogJob(), fzfJob(), htopJob(), mcJob(), nanoJob(), rebaseJob()}
}

const setupSh = `#!/bin/sh
kind=$(whiptail --title Setup --menu Edition 15 50 4 std Standard pro Professional ent Enterprise edu Education 3>&1 1>&2 2>&3) || exit 1
parts=$(whiptail --title Setup --checklist Components 15 50 5 core Core on docs Documentation off tools Tools off src Sources off i18n Languages on 3>&1 1>&2 2>&3) || exit 1
word=$(whiptail --title Setup --passwordbox 'Admin password' 10 40 3>&1 1>&2 2>&3) || exit 1
whiptail --title Setup --yesno 'Install now?' 8 40 --defaultno || exit 1
echo "$kind $parts ${#word}" >installed
echo "Installation complete: ticket $((7 * ${#word}))"
`

// dialogJob answers four dialogs, of which the last begins with No.
func dialogJob() job {
	return job{
		name: "dialogs of an installer", needs: []string{"sh", "whiptail"},
		prepare: func(_ context.Context, f *site) error { return f.write("setup.sh", setupSh, 0o755) },
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"./setup.sh"}}, `Professional`)
			a.press(`Documentation`, "<down>", "<enter>")
			a.press(`Admin password`, "<down>", "<space>", "<down*2>", "<space>", "<down>", "<space>", "<enter>")
			a.line("s3cret-pw", `Install now`)
			a.press(`ticket 63`, "<tab>", "<enter>")
		},
		check: func(f *site, _ string) error {
			got, err := f.read("installed")
			if want := `pro "core" "docs" "src" 9` + "\n"; err == nil && got != want {
				err = fmt.Errorf("installed is %q, want %q", got, want)
			}
			return err
		},
	}
}

// fzfJob chooses one of 400 entries.
func fzfJob() job {
	return job{
		name: "a choice in fzf", needs: []string{"bash", "fzf"},
		prepare: func(_ context.Context, f *site) error {
			var b strings.Builder
			for i := 1; i <= 400; i++ {
				fmt.Fprintf(&b, "entry-%d-%x\n", i, i*7919)
			}
			return f.write("entries", b.String(), 0o644)
		},
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"bash", "-c", "fzf <entries | tee choice"}, then: []exchange{
				press(anything, "237"), pressAt(`> entry-237`, anything, "<enter>"),
			}}, `entry-`)
		},
		check: func(f *site, _ string) error {
			got, err := f.read("choice")
			if err == nil && !strings.HasPrefix(got, "entry-237-") {
				err = fmt.Errorf("the choice is %q", got)
			}
			return err
		},
	}
}

// htopJob ends one process of the machine.
func htopJob() job {
	return job{
		name: "a process ended in htop", needs: []string{"htop", "gcc"},
		prepare: func(_ context.Context, f *site) error {
			burner, _, err := f.spawn(context.Background(), "burner", hogC)
			if err == nil {
				f.hog = burner.Pid
			}
			return err
		},
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"htop"}, then: []exchange{
				press(anything, "<f4>", "burner", "<enter>"), press(anything, "<f9>"), pressAt(`15 SIGTERM`, anything, "<enter>"),
			}}, `PID`)
		},
		check: func(f *site, _ string) error {
			return eventually(func() error {
				state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", f.hog))
				if err != nil || strings.Contains(string(state), ") Z ") {
					return nil
				}
				if err := syscall.Kill(f.hog, 0); err != nil {
					return nil
				}
				return fmt.Errorf("process %d runs on", f.hog)
			})
		},
	}
}

// mcJob moves one file and copies another.
func mcJob() job {
	return job{
		name: "files moved in mc", needs: []string{"mc"},
		prepare: func(_ context.Context, f *site) error {
			for i := 1; i <= 30; i++ {
				if err := f.write(fmt.Sprintf("left/note%d.txt", i), "note\n", 0o644); err != nil {
					return err
				}
			}
			if err := f.write("right/old.txt", "old\n", 0o644); err != nil {
				return err
			}
			return f.write("left/report.txt", "report\n", 0o644)
		},
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"mc", "-u", "left", "right"}, then: []exchange{
				press(anything, "<ctrl+s>", "report", "<f6>"), pressAt(`Move`, anything, "<enter>"),
				press(anything, "<ctrl+s>", "note7.", "<f5>"), pressAt(`Copy`, anything, "<enter>"),
			}}, `note`)
			a.press(anything, "<f10>")
		},
		check: func(f *site, _ string) error {
			return eventually(func() error {
				out, err := f.exec(context.Background(), nil, "sh", "-c", "ls left/report.txt left/note7.txt right 2>&1; true")
				want := "ls: cannot access 'left/report.txt': No such file or directory\nleft/note7.txt\n\nright:\nnote7.txt\nold.txt\nreport.txt\n"
				if err == nil && out != want {
					err = fmt.Errorf("ls says\n%s", out)
				}
				return err
			})
		},
	}
}

// nanoJob changes two settings of a file.
func nanoJob() job {
	return job{
		name: "settings changed in nano", needs: []string{"nano"},
		prepare: func(_ context.Context, f *site) error { return f.write("server.conf", serverConf, 0o644) },
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"nano", "server.conf"}, then: []exchange{
				press(anything, "<ctrl+w>", "workers", "<enter>", "<end>", "<backspace>", "16"),
				press(anything, "<ctrl+w>", "level", "<enter>", "<end>", "<backspace*4>", "debug"),
				press(anything, "<ctrl+s>", "<ctrl+x>"),
			}}, anything)
		},
		check: func(f *site, _ string) error {
			want := strings.NewReplacer("workers = 4", "workers = 16", "level = info", "level = debug").Replace(serverConf)
			return eventually(func() error {
				got, err := f.read("server.conf")
				if err == nil && got != want {
					err = fmt.Errorf("server.conf is\n%s", got)
				}
				return err
			})
		},
	}
}

// rebaseJob rewords one commit and joins two.
func rebaseJob() job {
	return job{
		name: "a rebase in vim", needs: []string{"git", "vim"},
		prepare: func(ctx context.Context, f *site) error {
			script := "git init -q -b main . && git config user.name A && git config user.email a@example.org && git config core.editor 'vim -u NONE -N' && " +
				"for i in 1 2 3 4 5; do echo $i >file$i && git add . && git commit -qm \"commit $i\" || exit; done"
			_, err := f.exec(ctx, nil, "sh", "-c", script)
			return err
		},
		script: func(a *agent, _ *site) {
			a.run(program{argv: []string{"git", "rebase", "-i", "--root"}, then: []exchange{
				say(":3s/pick/reword/\n:5s/pick/fixup/\n:x", anything),
				pressAt(`(?m)^commit 3`, anything, "cc", "third, reworded", "<escape>", ":x", "<enter>"),
			}}, anything)
		},
		check: func(f *site, _ string) error {
			return eventually(func() error {
				out, err := f.exec(context.Background(), nil, "git", "log", "--format=%s")
				if want := "commit 4\nthird, reworded\ncommit 2\ncommit 1\n"; err == nil && out != want {
					err = fmt.Errorf("the log is\n%s", out)
				}
				return err
			})
		},
	}
}
