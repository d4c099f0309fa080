#!/usr/bin/env bash
# Makes the files that scripts look at, in the current directory: a repository of
# three commits, two directories, a log of 301 lines.
set -euo pipefail
export GIT_AUTHOR_NAME=Zoe GIT_AUTHOR_EMAIL=zoe@localhost GIT_COMMITTER_NAME=Zoe GIT_COMMITTER_EMAIL=zoe@localhost
git init -q -b main .
for i in 1 2 3; do
    echo "line $i" >>poem.txt
    git add .
    git commit -qm "Commit number $i"
done
mkdir docs music
echo 'the first page' >docs/alpha.txt
echo 'the second page' >docs/beta.txt
for i in $(seq 1 300); do echo "2024-05-01T10:00:00 INFO event $i"; done >app.log
echo '2024-05-01T11:00:00 ERROR broken pipe' >>app.log
