#!/bin/sh
# Makes ./r, a repository on branch feature with a contract that is ready to
# lock, and ./origin.git, its remote with main. Stories start from it. The work
# is not done: src/greet.sh greets nobody.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
git init -q --bare origin.git
git init -q r
cd r
git symbolic-ref HEAD refs/heads/main
git remote add origin ../origin.git
cp -R "$here/repo/." .
chmod +x src/greet.sh verify/greet.sh
git add -A
git commit -q -m base
git push -q origin main
git checkout -q -b feature
