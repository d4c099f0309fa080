package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/internal/localsock"
)

// termName is the value of TERM in sessions.
const termName = "xterm-256color"

// terminfo looks for the terminfo entry of termName in the directories that ncurses searches. The entry's
// subdirectory is named after the entry's first letter, or on macOS after the letter's code in hexadecimal.
func terminfo(context.Context, *machine) Finding {
	dirs := []string{os.Getenv("TERMINFO"), filepath.Join(os.Getenv("HOME"), ".terminfo")}
	dirs = append(dirs, filepath.SplitList(os.Getenv("TERMINFO_DIRS"))...)
	dirs = append(dirs, "/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo", "/usr/local/share/terminfo", "/opt/homebrew/share/terminfo")
	for _, dir := range dirs {
		for _, sub := range []string{termName[:1], fmt.Sprintf("%x", termName[0])} {
			file := filepath.Join(dir, sub, termName)
			if _, err := os.Stat(file); dir != "" && err == nil {
				return ok(file)
			}
		}
	}
	return warn("no terminfo entry "+termName+": full-screen programs may refuse to start",
		"install it: apt install ncurses-base, apk add ncurses-terminfo-base, dnf install ncurses-base")
}

// locale checks that LC_ALL, LC_CTYPE or LANG, whichever is set first, names a UTF-8 locale.
func locale(context.Context, *machine) Finding {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		value := os.Getenv(name)
		if value == "" {
			continue
		}
		if low := strings.ToLower(value); strings.Contains(low, "utf-8") || strings.Contains(low, "utf8") {
			return ok(name + "=" + value)
		}
		return warn(name+"="+value+" is not a UTF-8 locale: programs print ? instead of non-ASCII characters",
			"set "+name+"=C.UTF-8 in the server's environment")
	}
	return warn("no locale is set: programs assume ASCII", "set LANG=C.UTF-8 in the server's environment")
}

// fonts looks for fonts with characters that the built-in font lacks.
func fonts(context.Context, *machine) Finding {
	lib := &picture.Fonts{}
	var missing []string
	for _, sample := range []struct {
		r    rune
		what string
	}{{'漢', "Chinese"}, {'あ', "Japanese"}, {'한', "Korean"}, {'🎉', "emoji"}} {
		if !lib.Has(sample.r) {
			missing = append(missing, sample.what)
		}
	}
	if len(missing) == 0 {
		return ok("pictures have fonts for Chinese, Japanese, Korean and emoji")
	}
	text := "pictures have no font for " + strings.Join(missing, ", ")
	if err := lib.SystemErr(); err != nil {
		text += ": " + err.Error()
	}
	return warn(text, "install one: apt install fonts-noto-cjk fonts-noto-color-emoji; the built-in font has the letters and symbols that most programs show")
}

// temporary checks that the temporary directory is writable: shells get their marks (OSC 133) from files there.
func temporary(context.Context, *machine) Finding {
	return writable(os.TempDir(), "set TMPDIR to a writable directory with some free space; until then shells have no marks")
}

// writable checks that a file can be written in a directory, which is created if missing.
func writable(dir, todo string) Finding {
	err := os.MkdirAll(dir, 0o700)
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(dir, "glasstty-doctor-")
	}
	if err == nil {
		_, err = f.WriteString(marker)
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return warn(err.Error(), todo)
	}
	return ok(dir + " is writable")
}

// socket checks whether a server listens on the socket, or could listen there.
func socket(ctx context.Context, m *machine) Finding {
	l, err := localsock.Listen(ctx, m.socket)
	switch {
	case errors.Is(err, localsock.ErrInUse):
		return ok("a server listens on " + m.socket)
	case err != nil:
		return warn(err.Error(), "set GLASSTTY_SOCKET to another path")
	}
	if err := l.Close(); err != nil {
		return warn(err.Error(), "")
	}
	return ok(m.socket + " is free for glasstty serve")
}

// cache checks that the directory of the font index is writable.
func cache(context.Context, *machine) Finding {
	const todo = "set XDG_CACHE_HOME to a writable directory; until then each process rebuilds the font index"
	dir, err := os.UserCacheDir()
	if err != nil {
		return warn(err.Error(), todo)
	}
	return writable(filepath.Join(dir, "glasstty"), todo)
}
