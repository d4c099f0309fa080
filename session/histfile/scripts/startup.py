# Read by Python when it is interactive: reads the user's startup file, and has the
# user's history read but not written.
def __glasstty_history(user, private):
    import atexit
    import os
    import sys

    plain = atexit.register

    def register(function, *args, **kwargs):
        name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
        if (name, module) == ("write_history", "site") or module == "readline" and name in ("write_history_file", "append_history_file"):
            return function
        return plain(function, *args, **kwargs)

    def without(run):
        atexit.register = register
        try:
            return run()
        finally:
            atexit.register = plain

    if user:
        without(lambda: __glasstty_run(user))
    hook = getattr(sys, "__interactivehook__", None)

    def quiet():
        if hook is not None:
            without(hook)
        os.environ["PYTHON_HISTORY"] = private  # Python 3.13 asks for it at each line.

    sys.__interactivehook__ = quiet


@RUN@

try:
    __glasstty_history(@USER@, @HISTORY@)
finally:
    del __glasstty_history, __glasstty_run
