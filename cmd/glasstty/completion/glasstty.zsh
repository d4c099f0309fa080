#compdef glasstty
# Completion of glasstty for zsh.
_glasstty() {
    local word help
    local -a plain open
    while IFS=$'\t' read -r word help; do
        case $word in
        :files) _files; return ;;
        *=) open+=("$word") ;;
        *) plain+=("${word//:/\\:}:$help") ;;
        esac
    done < <("${(Q)words[1]}" __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    (( $#open )) && compadd -S '' -a open
    (( $#plain )) && _describe glasstty plain
}
if [[ $funcstack[1] == _glasstty ]]; then
    _glasstty "$@"
else
    compdef _glasstty glasstty
fi
