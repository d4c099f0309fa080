// Package shellmarks makes shells and REPLs mark where their prompts, commands and outputs
// begin and end (OSC 133), and report their working directory (OSC 7). It does not change
// any file of the user.
//
//	command, args, env ─▶ Prepare ─▶ args, env, nonce, private files
//	                                        │
//	shell ─▶ OSC 133 ; letter ; params ─▶ emulator ─▶ ParseMark(letter, params, nonce)
//
// A prepared shell sends, for each command:
//
//	D ; exit status     the last command has ended (also before the first prompt), before
//	                    the sign that zsh and fish show after an unfinished line
//	OSC 7               the working directory
//	A                   the prompt begins
//	B                   the prompt ends, and typed text begins; sent again when the
//	                    shell redraws its prompt
//	C ; cmdline_url=…   the command starts; the parameter has its text, escaped as in a
//	                    URL, if the shell provides it
//
// Every mark contains the session's nonce, so that programs cannot forge marks. Continuation
// prompts have no marks, except for those of dash (A ; k=s and B ; k=s): dash has no line editor,
// so output may follow its prompts in the same line. After an empty line the shell sends only D, A
// and B. If there was no C since the last D, a D does not end a command.
//
//	shell     start                            marks        text of the command
//	bash      --rcfile that sources the        A B C D 7    from the history; none if the
//	          user's; login, --norc, --posix:               line is not in the history
//	          PROMPT_COMMAND of the environment
//	zsh       ZDOTDIR that restores itself     A B C D 7    yes
//	fish      --init-command                   A B C D 7    yes
//	dash, sh  ENV that sources the user's      A B D        no
//	python    PYTHONSTARTUP that runs the      A B          no
//	          user's
//
// A shell that is not interactive, or that the user has configured to send OSC 133 marks, is not
// changed. A shell started inside the first one sends no marks: the outer shell has sent C and
// sends nothing until the inner one ends. These send no marks either: bash -l if the profile
// replaces PROMPT_COMMAND, zsh -f, zsh if the system's files set ZDOTDIR, python -E and python -I.
package shellmarks
