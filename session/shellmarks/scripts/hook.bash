# Sends OSC 133 marks and OSC 7 from an interactive bash. Read by the shell that
# was started for the session, after the user's own files.

__glasstty_last=$? __glasstty_options=$-
set +a # Nothing of this is for the shell's children.
__glasstty_first=@BOOT@ # set where this is read at the first prompt

# The pattern is cut in two so as not to find itself.
__glasstty_installed() {
    [[ "${PS1-} ${PS0-} ${PROMPT_COMMAND[*]-} $(declare -f; trap -p DEBUG)" == *']13''3;'* ]]
}

if ! __glasstty_installed; then

__glasstty_nonce=@NONCE@
__glasstty_boot=@BOOT@
__glasstty_original=@ORIGINAL@

# Runs first when a command is done: PROMPT_COMMAND may write too.
__glasstty_status() {
    {
        local status=${1:-$?}
        __glasstty_sent=1
        builtin printf '\e]133;D;%s;nonce=%s\e\\' "$status" "$__glasstty_nonce" >/dev/tty
    } 2>/dev/null
    return "$status"
}

# Puts $1 as in a URL into __glasstty_out: control characters, "%" and ";" are
# written as bytes.
__glasstty_encode() {
    local LC_ALL=C c h
    __glasstty_out=${1//\%/%25}
    __glasstty_out=${__glasstty_out//;/%3B}
    while [[ $__glasstty_out == *[[:cntrl:]]* ]]; do
        c=${__glasstty_out#"${__glasstty_out%%[[:cntrl:]]*}"}
        c=${c:0:1}
        builtin printf -v h '%%%02X' "'$c"
        __glasstty_out=${__glasstty_out//"$c"/$h}
    done
}

# Runs last before the prompt: whatever sets PS1 has done so.
__glasstty_prompt() {
    {
        local status=${1:-$?} __glasstty_out
        [[ -n ${__glasstty_sent-} ]] || __glasstty_status "$status"
        __glasstty_sent=
        __glasstty_encode "$PWD"
        builtin printf '\e]7;file://%s%s\e\\\e]133;A;nonce=%s\e\\' "${HOSTNAME-}" "$__glasstty_out" "$__glasstty_nonce" >/dev/tty
        __glasstty_wrap
        __glasstty_count
    } 2>/dev/null
    return "$status"
}

# Notes the number of the history's last line. Expanded outside of PS1, \! is
# that number, but 1 also when there is none yet.
__glasstty_count() {
    ((BASH_VERSINFO[0] > 4 || BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4)) || return
    __glasstty_number='\!'
    __glasstty_number=${__glasstty_number@P}
    [[ $__glasstty_number != 1 || -n $(builtin history 1) ]] || __glasstty_number=0
}

# Puts the marks into the prompts, where they stay until someone replaces them.
# They name variables of this shell: an exported PS1 does not carry the nonce.
__glasstty_wrap() {
    local ps1='${__glasstty_b-}' ps0='${__glasstty_nonce:+$(__glasstty_command)}'
    PS1=${PS1-}
    if ! shopt -q promptvars; then
        PS1=${PS1//"$ps1"} PS0=${PS0-}
        PS0=${PS0//"$ps0"}
        return
    fi
    [[ $PS1 == *"$ps1" ]] || PS1=${PS1//"$ps1"}$ps1
    [[ ${PS0-} == *"$ps0" ]] || PS0=${PS0-}$ps0
}

# Prints the mark that a command begins, with its text when the history has it:
# the history's last line is this command only when its number is new since the
# prompt.
__glasstty_command() {
    {
        local __glasstty_out HISTTIMEFORMAT= text
        text=$(builtin history 1)
        if [[ $text =~ ^\ *([0-9]+)\*?\ +(.*)$ && ${BASH_REMATCH[1]} == $((${__glasstty_number:--2} + 1)) ]]; then
            __glasstty_encode "${BASH_REMATCH[2]:0:@MAX@}"
            builtin printf '\e]133;C;nonce=%s;cmdline_url=%s\e\\' "$__glasstty_nonce" "$__glasstty_out"
        else
            builtin printf '\e]133;C;nonce=%s\e\\' "$__glasstty_nonce"
        fi
    } 2>/dev/null
}

# Takes what brought us here out of PROMPT_COMMAND and puts the functions around
# the user's own. bash-preexec, where it is used, wants to be the last to touch
# PROMPT_COMMAND and offers a list instead.
__glasstty_install() {
    local i
    if [[ -n $__glasstty_boot ]]; then
        for i in "${!PROMPT_COMMAND[@]}"; do
            [[ ${PROMPT_COMMAND[i]} == *"$__glasstty_boot"* ]] || continue
            PROMPT_COMMAND[i]=${PROMPT_COMMAND[i]%%"$__glasstty_boot"*}$__glasstty_original${PROMPT_COMMAND[i]#*"$__glasstty_boot"}
            [[ -n ${PROMPT_COMMAND[i]} ]] || unset 'PROMPT_COMMAND[i]'
        done
        [[ -n $__glasstty_original ]] || declare -g +x PROMPT_COMMAND 2>/dev/null
    fi
    # Between 01 and 02 Readline counts no columns, as between \[ and \], which a
    # shell that is no bash would show of an exported PS1.
    __glasstty_b=$'\001\e]133;B;nonce='$__glasstty_nonce$'\e\\\002'
    if [[ -n ${bash_preexec_imported-}${__bp_imported-} ]]; then
        precmd_functions+=(__glasstty_prompt)
    elif ((BASH_VERSINFO[0] > 5 || BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] >= 1)); then
        PROMPT_COMMAND=(__glasstty_status "${PROMPT_COMMAND[@]}" __glasstty_prompt)
    else
        PROMPT_COMMAND=__glasstty_status$'\n'${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__glasstty_prompt
    fi
    [[ -z $__glasstty_boot ]] || __glasstty_prompt "$__glasstty_last"
}

__glasstty_install
unset -f __glasstty_install
unset -v __glasstty_boot __glasstty_original
fi

# Runs before the first prompt, when bash has read the user's history: what is typed is
# saved elsewhere.
__glasstty_history() {
    local status=$?
    if [[ -z ${__glasstty_moved-} ]]; then
        __glasstty_moved=1
        if [[ -n ${HISTFILE-} ]]; then
            builtin history -w "$__glasstty_histfile"
            export HISTFILE=$__glasstty_histfile
        fi
    fi 2>/dev/null
    return "$status"
}

__glasstty_histfile=@HISTORY@
if [[ -z $__glasstty_histfile ]]; then
    unset -f __glasstty_history
elif [[ -n ${__glasstty_first-} ]]; then
    __glasstty_history
elif [[ -n ${bash_preexec_imported-}${__bp_imported-} ]]; then
    precmd_functions=(__glasstty_history "${precmd_functions[@]}")
elif ((BASH_VERSINFO[0] > 5 || BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] >= 1)); then
    PROMPT_COMMAND=(__glasstty_history "${PROMPT_COMMAND[@]}")
else
    PROMPT_COMMAND=__glasstty_history${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
fi

unset -f __glasstty_installed
unset -v __glasstty_first
[[ $__glasstty_options != *a* ]] || set -a
unset -v __glasstty_options __glasstty_last
