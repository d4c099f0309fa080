# Read by Python when it is interactive: gives PYTHONSTARTUP back, reads the
# user's file, and puts OSC 133 marks around the prompt.
def __glasstty(user, nonce):
    import os
    import sys

    if user is None:
        os.environ.pop("PYTHONSTARTUP", None)
    else:
        os.environ["PYTHONSTARTUP"] = user
        __glasstty_run(user)

    ps1 = getattr(sys, "ps1", ">>> ")
    if "]133;" in str(ps1):
        return
    if sys.version_info >= (3, 13) and not os.environ.get("PYTHON_BASIC_REPL"):
        nonce += ";weak=1"  # That REPL draws its prompt at every key.

    class Prompt(str):
        # The brackets tell readline that nothing between them is seen.
        def __str__(self):
            return "\001\033]133;A;nonce=%s\033\\\002%s\001\033]133;B;nonce=%s\033\\\002" % (
                nonce, ps1, nonce)

    sys.ps1 = Prompt(ps1)


@RUN@

try:
    __glasstty(@USER@, @NONCE@)
finally:
    del __glasstty
    globals().pop("__glasstty_run", None)  # The user's file may be a script of ours, which has removed it.
