# Runs the user's startup file as Python would.
def __glasstty_run(user):
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
