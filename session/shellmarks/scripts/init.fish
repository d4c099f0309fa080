# Sends OSC 133 marks and OSC 7 from an interactive fish. fish 4 sends marks of
# its own, and so may the user's functions: then nothing is added.

function __glasstty_installed
    status test-feature mark-prompt 2>/dev/null
    and return 0
    for f in fish_prompt fish_right_prompt (functions --handlers 2>/dev/null | string replace -rf '^(?:\S+ )?(\S+)$' '$1')
        functions -q $f
        and functions $f | string match -q '*]133;*'
        and return 0
    end
    return 1
end

if status is-interactive; and not __glasstty_installed
    set -g __glasstty_nonce @NONCE@

    # The mark after the prompt needs fish_prompt to print it. Its lines are
    # joined as fish joins them, and the first command sees the user's $status.
    function __glasstty_wrap
        functions -q fish_prompt
        or return
        functions fish_prompt | string match -q '*__glasstty_user_prompt*'
        and return
        functions -e __glasstty_user_prompt
        functions -c fish_prompt __glasstty_user_prompt
        function fish_prompt
            set -l lines (__glasstty_user_prompt)
            test (count $lines) -gt 1
            and printf '%s\n' $lines[1..-2]
            printf '%s\e]133;B;nonce=%s\a' "$lines[-1]" $__glasstty_nonce
        end
    end

    # An empty line is no command: its D is sent here.
    function __glasstty_prompt --on-event fish_prompt
        set -l last $status
        set -q __glasstty_sent
        or printf '\e]133;D;%s;nonce=%s\a' $last $__glasstty_nonce
        set -e __glasstty_sent
        printf '\e]7;file://%s%s\a\e]133;A;nonce=%s\a' $hostname (string escape --style=url -- $PWD) $__glasstty_nonce
        __glasstty_wrap
    end

    function __glasstty_command --on-event fish_preexec
        printf '\e]133;C;nonce=%s;cmdline_url=%s\a' $__glasstty_nonce (string escape --style=url -- (string sub -l @MAX@ -- "$argv[1]" | string collect))
    end

    function __glasstty_done --on-event fish_postexec
        printf '\e]133;D;%s;nonce=%s\a' $status $__glasstty_nonce
        set -g __glasstty_sent
    end

    __glasstty_wrap
end
functions -e __glasstty_installed
