# Read by Python when it is interactive: gives PYTHONSTARTUP back, reads the
# user's file, and puts OSC 133 marks around the prompt.
def __glasstty(user, nonce):
    import os
    import sys

    if user is None:
        os.environ.pop("PYTHONSTARTUP", None)
    else:
        os.environ["PYTHONSTARTUP"] = user
        __glasstty_user(user)

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


def __glasstty_user(user):
    import sys
    import traceback

    main = sys.modules["__main__"].__dict__
    had, own = "__file__" in main, main.get("__file__")
    try:
        with open(user, "rb") as f:
            source = f.read()
    except OSError as e:
        sys.stderr.write("Could not open PYTHONSTARTUP\n%s: %s\n" % (type(e).__name__, e))
        return
    main["__file__"] = user
    try:
        exec(compile(source, user, "exec"), main)
    except BaseException as e:
        if isinstance(e, SystemExit):
            raise
        traceback.print_exception(type(e), e, e.__traceback__.tb_next)
    finally:
        if had:
            main["__file__"] = own
        else:
            main.pop("__file__", None)


try:
    __glasstty(@USER@, @NONCE@)
finally:
    del __glasstty, __glasstty_user
