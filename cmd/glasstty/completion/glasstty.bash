# Completion of glasstty for bash.
_glasstty() {
    local word help line=${COMP_LINE:0:COMP_POINT} words
    COMPREPLY=()
    # COMP_WORDS has words split at =. Bash replaces only the part after the last =.
    read -ra words <<<"$line"
    [[ $line == *' ' ]] && words+=('')
    word=${words[${#words[@]} - 1]}
    local strip=${word%"${word##*=}"}
    while IFS=$'\t' read -r word help; do
        case $word in
        :files) compopt -o default 2>/dev/null ;;
        *=) compopt -o nospace 2>/dev/null; COMPREPLY+=("${word#"$strip"}") ;;
        *) COMPREPLY+=("${word#"$strip"}") ;;
        esac
    done < <("$1" __complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _glasstty glasstty
