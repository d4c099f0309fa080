package main

// A program shows the samples.
type program struct {
	name    string
	needs   string // a program that must be installed
	build   string // the command that builds it, if it must be built
	command string // a line of sh
	keys    []string
	mark    string // the border after a row's text; none for a line editor
	after   string // a command that ends the processes that it leaves behind
}

// node runs a script in the directory of the zoo that has its packages.
func node(name string) string {
	return `cd "$ZOO/node"; exec node --input-type=module -e "$(cat "$PROGRAMS/` + name + `")"`
}

// buildGo builds the programs of the zoo's Go module.
const buildGo = `test -x "$BIN/borders" || GOWORK=off go build -C "$ZOO/go" -o "$BIN/" ./borders github.com/junegunn/fzf`

var programs = []program{
	{name: "ink", needs: "node", command: node("ink.mjs"), mark: "│"},
	{name: "clack", needs: "node", command: node("clack.mjs"), mark: "│"},
	{name: "terminal-kit", needs: "node", command: node("terminalkit.mjs"), mark: "│"},
	{name: "blessed", needs: "node", command: node("blessed.mjs"), mark: "│"},
	{name: "bubbletea", needs: "go", build: buildGo, command: `exec "$BIN/borders" bubbletea`, mark: "│"},
	{name: "tview", needs: "go", build: buildGo, command: `exec "$BIN/borders" tview`, mark: "║"},
	{name: "tui-rs", needs: "cargo", build: `cargo build -q --manifest-path "$PROGRAMS/tui/Cargo.toml"`, command: `exec "$PROGRAMS/tui/target/debug/tui-rows"`, mark: "│"},
	{name: "rich", needs: "python3", command: python("rich_.py"), mark: "│"},
	{name: "textual", needs: "python3", command: python("textual_.py"), mark: "│"},
	{name: "urwid", needs: "python3", command: python("urwid_.py"), mark: "│"},
	{name: "prompt_toolkit", needs: "python3", command: python("prompt_toolkit_.py"), mark: "│"},
	{name: "fzf", needs: "go", build: buildGo, command: `exec "$BIN/fzf" --preview=true --preview-window=right,border-left <"$ROWS"`, mark: "│"},
	{name: "vim", needs: "vim", command: `exec vim -u NONE -N -c 'set fillchars=vert:\|' -c vsplit "$ROWS"`, mark: "|"},
	{name: "neovim", needs: "nvim", command: `exec nvim -u NONE -c vsplit "$ROWS"`, mark: "│"},
	{name: "micro", needs: "micro", command: `exec micro "$ROWS"`, keys: []string{"\x05", "vsplit", "\r"}, mark: "|"},
	{name: "nano", needs: "nano", command: `exec nano "$LONG"`, mark: ">"},
	{name: "less", needs: "less", command: `exec less -S "$LONG"`, mark: ">"},
	{name: "tmux", needs: "tmux", command: `exec tmux -f /dev/null new 'cat "$ROWS"; sleep 60' \; split-window -h 'sleep 60'`, mark: "│", after: "tmux kill-server"},
	{name: "mc", needs: "mc", command: `exec mc -d -u "$FILES" "$FILES"`, mark: "│"},
	{name: "ranger", needs: "ranger", command: `exec ranger --clean --cmd='set draw_borders both' "$FILES"`, mark: "│"},
	{name: "dialog", needs: "dialog", command: menu("dialog --no-shadow"), mark: "│"},
	{name: "whiptail", needs: "whiptail", command: menu("whiptail"), mark: "│"},
	{name: "w3m", needs: "w3m", command: `exec w3m -T text/html "$HTML"`, mark: "│"},
	{name: "tig", needs: "tig", build: history, command: `cd history; exec tig`, mark: "|"},
	{name: "column", needs: "column", command: `sed 's/$/#end/' "$ROWS" | column -t -s'#' -o'|'`, mark: "|"},
	{name: "sqlite3", needs: "sqlite3", command: `sqlite3 :memory: '.mode box' '.import "'"$ROWS"'" t' 'select * from t'`, mark: "│"},
	{name: "bash", needs: "bash", command: `PS1='> ' exec bash --norc`, keys: typing()},
	{name: "zsh", needs: "zsh", command: `PS1='> ' exec zsh -f -o interactivecomments -o combiningchars`, keys: typing()},
	{name: "fish", needs: "fish", command: `exec fish --no-config -C 'function fish_prompt; echo -n "> "; end'`, keys: typing()},
	{name: "node", needs: "node", command: `exec node`, keys: typing()},
	{name: "ptpython", needs: "ptpython", command: `exec ptpython`, keys: typing()},
}

// python runs a script with the packages of the system.
func python(name string) string { return `exec "$(command -pv python3)" "$PROGRAMS/` + name + `"` }

// menu is a menu of the samples.
func menu(program string) string {
	return `IFS='
'; exec ` + program + ` --notags --menu Rows 40 70 30 $(sed 's/^\(.*\): .*/\1\n&/' "$ROWS")`
}

// history makes a repository whose authors' names are the rows.
const history = `test -d history && exit; git init -q history && cd history && git config user.email a@b.c && git config user.name a &&
while read -r row; do git commit -q --allow-empty --author "$row <a@b.c>" -m '|||'; done <"$ROWS"`

// typing returns the keys that type the samples into a line editor.
func typing() []string {
	var keys []string
	for _, s := range append([]sample{plain}, samples...) {
		keys = append(keys, edit(s)...)
	}
	return keys
}
