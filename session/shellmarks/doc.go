// Package shellmarks makes shells and REPLs say where their prompts, commands
// and outputs begin and end, by OSC 133 marks and OSC 7, without touching any
// file of the user.
//
//	command, args, env ─▶ Prepare ─▶ args, env, nonce, private files
//	                                        │
//	shell ─▶ OSC 133 ; letter ; params ─▶ emulator ─▶ ParseMark(letter, params, nonce)
//
// A prepared shell sends, for each command:
//
//	D ; exit status     the last command is done (also before the first prompt),
//	                    ahead of what zsh and fish show after a line without end
//	OSC 7               the working directory
//	A                   the prompt begins
//	B                   the prompt ends, typed text begins; repeated when the
//	                    shell redraws its prompt
//	C ; cmdline_url=…   the command begins to write; the parameter has its text,
//	                    when the shell tells it, as in a URL
//
// Every mark carries the session's nonce, so that what a child prints is not
// taken for one. Continuation prompts send none, but for those of dash, which has no
// line editor: its output may follow them in the same line (A ; k=s and B ; k=s).
// An empty line sends D, A and B
// alone: a D without a C since the last D belongs to no command.
//
//	shell     start                            marks        text of the command
//	bash      --rcfile that sources the        A B C D 7    from the history; none when
//	          user's; login, --norc, --posix:               the line was not kept there
//	          PROMPT_COMMAND of the environment
//	zsh       ZDOTDIR that restores itself     A B C D 7    yes
//	fish      --init-command                   A B C D 7    yes
//	dash, sh  ENV that sources the user's      A B D        no
//	python    PYTHONSTARTUP that runs the      A B          no
//	          user's
//
// A shell whose own configuration sends OSC 133 marks is left alone, as is one
// that is not interactive. A shell started inside the first gets no marks: the
// outer one has sent C and sends nothing until the inner one ends. Not
// covered: bash -l whose profile replaces PROMPT_COMMAND, zsh -f and a zsh whose
// system files set ZDOTDIR, python -E and -I send no marks.
package shellmarks
