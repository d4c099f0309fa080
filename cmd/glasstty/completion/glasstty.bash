# Completion of glasstty for bash.
_glasstty() {
    local word help
    COMPREPLY=()
    while IFS=$'\t' read -r word help; do
        case $word in
        :files) compopt -o default 2>/dev/null ;;
        *=) compopt -o nospace 2>/dev/null; COMPREPLY+=("$word") ;;
        *) COMPREPLY+=("$word") ;;
        esac
    done < <("$1" __complete --bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _glasstty glasstty
