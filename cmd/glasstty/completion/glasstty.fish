# Completion of glasstty for fish.
function __glasstty_complete
    set -l words (commandline -opc)
    set -l out ($words[1] __complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if string match -q ':files*' -- $out
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $out
    end
end
complete -c glasstty -f -a '(__glasstty_complete)'
