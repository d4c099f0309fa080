# Read by an interactive sh as ENV: gives ENV back, reads the user's file, and
# puts OSC 133 marks around the prompt. They name a variable of this shell: an
# exported PS1 does not carry the nonce.
@RESTORE@
case ${PS1-} in
*']133;'*) ;;
*)
    __glasstty_nonce=@NONCE@
    PS1='${__glasstty_nonce:+@ESC@]133;D;$?;nonce=$__glasstty_nonce@BEL@@ESC@]133;A;nonce=$__glasstty_nonce@BEL@}'${PS1-}'${__glasstty_nonce:+@ESC@]133;B;nonce=$__glasstty_nonce@BEL@}'
    PS2='${__glasstty_nonce:+@ESC@]133;A;k=s;nonce=$__glasstty_nonce@BEL@}'${PS2-}'${__glasstty_nonce:+@ESC@]133;B;k=s;nonce=$__glasstty_nonce@BEL@}'
    ;;
esac
