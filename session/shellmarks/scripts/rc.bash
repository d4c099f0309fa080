# Read by bash instead of the user's file, which it reads first.
[ ! -f @RC@ ] || . @RC@
. @HOOK@
