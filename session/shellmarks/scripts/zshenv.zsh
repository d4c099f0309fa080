# Read by zsh as .zshenv from a directory of its own: gives the user's directory
# back, reads the user's file, and leaves one function behind for the first
# prompt.
@RESTORE@
if [[ -f ${ZDOTDIR:-$HOME}/.zshenv ]]; then
    'builtin' 'source' "${ZDOTDIR:-$HOME}/.zshenv"
fi

if [[ -o interactive ]]; then

# Runs before the first prompt, when all of the user's files have been read.
__glasstty_install() {
    builtin local -i __glasstty_status=$?
    builtin emulate -L zsh
    builtin local f
    precmd_functions=(${precmd_functions:#__glasstty_install})
    builtin local __glasstty_histfile=@HISTORY@
    if [[ -n $__glasstty_histfile && -n ${HISTFILE-} ]]; then
        # What is typed is saved elsewhere than the user's history, which has been read.
        builtin fc -W $__glasstty_histfile 2>/dev/null
        builtin typeset -gx HISTFILE=$__glasstty_histfile
    fi
    [[ $PS1 != *']133;'* ]] || builtin return 0
    for f in ${(k)functions:#(__glasstty_*|_p9k*|p10k*)}; do
        [[ $functions[$f] != *']133;'* ]] || builtin return 0
    done
    builtin typeset -g __glasstty_nonce=@NONCE@
    builtin typeset -g __glasstty_b=$'%{\e]133;B;nonce='$__glasstty_nonce$'\a%}'
    builtin typeset -g __glasstty_d=$'%{\e]133;D;%?;nonce='$__glasstty_nonce$'\a%}'
    builtin typeset -ga precmd_functions preexec_functions
    precmd_functions+=(__glasstty_prompt)
    preexec_functions+=(__glasstty_command)
    builtin unfunction __glasstty_install
    __glasstty_prompt $__glasstty_status
}

# Puts $1 as in a URL into REPLY: control characters, "%" and ";" are written as
# bytes.
__glasstty_encode() {
    builtin local LC_ALL=C
    builtin local -i i
    REPLY=${1//\%/%25}
    REPLY=${REPLY//;/%3B}
    [[ $REPLY == *[[:cntrl:]]* ]] || builtin return 0
    for i in {1..31} 127; do
        REPLY=${REPLY//${(#)i}/%${(l:2::0:)$(([##16]i))}}
    done
}

# Runs when a command is done and the next prompt is to come. D is sent where
# the output ends, with what zsh shows, ahead of all hooks, after a line without
# end; here only when zsh has not shown that.
__glasstty_prompt() {
    builtin local -i __glasstty_status=${1:-$?}
    builtin local __glasstty_percent=$options[promptpercent] __glasstty_type=${(t)PS1} REPLY
    builtin local __glasstty_eol=$options[promptsp]$options[promptcr]$options[promptpercent] __glasstty_done=
    builtin emulate -L zsh
    if [[ $__glasstty_eol != ononon || ${PROMPT_EOL_MARK-} != $__glasstty_d* || -n ${1-} ]]; then
        __glasstty_done=$'\e]133;D;'$__glasstty_status';nonce='$__glasstty_nonce$'\e\\'
    fi
    if [[ $__glasstty_percent != on || ${(t)PROMPT_EOL_MARK} == *export* ]]; then
        [[ ${PROMPT_EOL_MARK-} != *$__glasstty_d* ]] || PROMPT_EOL_MARK=${PROMPT_EOL_MARK//$__glasstty_d}
    elif [[ ${PROMPT_EOL_MARK-} != $__glasstty_d* ]]; then
        builtin typeset -g PROMPT_EOL_MARK=$__glasstty_d${PROMPT_EOL_MARK-%B%S%#%s%b}
    fi
    # Without the sign zsh goes back to the first column to draw its prompt over a
    # line without end: A is sent where that prompt begins.
    [[ $__glasstty_eol != offon* ]] || __glasstty_done+=$'\r'
    __glasstty_encode $PWD
    {
        builtin print -rn -- $__glasstty_done$'\e]7;file://'$HOST$REPLY$'\e\\\e]133;A;nonce='$__glasstty_nonce$'\e\\' >/dev/tty
    } 2>/dev/null
    # Last in PS1, where it stays until someone replaces PS1. An exported PS1
    # would carry it to other shells.
    if [[ $__glasstty_percent != on || $__glasstty_type == *export* ]]; then
        [[ $PS1 != *$__glasstty_b* ]] || PS1=${PS1//$__glasstty_b}
    elif [[ $PS1 != *$__glasstty_b ]]; then
        PS1=${PS1//$__glasstty_b}$__glasstty_b
    fi
}

# Runs when a command line has been read.
__glasstty_command() {
    builtin emulate -L zsh
    builtin local REPLY
    __glasstty_encode ${${1:-$3}[1,@MAX@]}
    {
        builtin print -rn -- $'\e]133;C;nonce='$__glasstty_nonce';cmdline_url='$REPLY$'\e\\' >/dev/tty
    } 2>/dev/null
}

builtin typeset -ga precmd_functions
precmd_functions+=(__glasstty_install)

fi
