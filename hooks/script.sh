# Written by `git longtask install`, taken away by `git longtask uninstall`.
# Both leave this file alone once it has been edited.
hook=@HOOK@
recorded=@BINARY@
previous=@PREVIOUS@

case $0 in
/* | ?:*) self=$0 ;;
*) self=$PWD/$0 ;;
esac
saved=$self.longtask-saved

# Stops hooks that call each other without end. No value lets anything pass.
case ${LONGTASK_HOOK-} in
[0-9]) ;;
*) LONGTASK_HOOK=0 ;;
esac
if [ "$LONGTASK_HOOK" -ge 9 ]; then
	echo "git-longtask: $hook refused: hooks called each other nine times. Find the hook that runs $self again and take that call out." >&2
	exit 1
fi
LONGTASK_HOOK=$((LONGTASK_HOOK + 1))
export LONGTASK_HOOK

bin=$recorded
if [ ! -f "$bin" ] || [ ! -x "$bin" ]; then
	bin=$(command -v git-longtask)
fi
if [ -z "$bin" ]; then
	without="rm '$self'"
	if [ "$previous" = yes ]; then
		without="mv '$saved' '$self'"
	fi
	cat >&2 <<MESSAGE
git-longtask: $hook refused: the program that checks it is neither at $recorded nor on PATH.
Two ways on:
  check again:      put git-longtask back on PATH, then run: git longtask install
  without checks:   $without
MESSAGE
	exit 1
fi

# Git never gives a hook exactly this argument, see proveHook.
if [ $# -eq 1 ] && [ "$1" = --longtask-probe ]; then
	printf 'git-longtask hook %s\n%s\n' "$hook" "$bin"
	exit 0
fi

if [ "$previous" = no ] || [ ! -f "$saved" ] || [ ! -x "$saved" ]; then
	exec "$bin" hook "$hook" "$@"
fi
if [ "$hook" != pre-push ]; then
	"$saved" "$@" || exit
	exec "$bin" hook "$hook" "$@"
fi

# A pipe can be read once and both readers need all of it.
pushed=$(cat)
feed() {
	if [ -z "$pushed" ]; then
		"$@" </dev/null
		return
	fi
	"$@" <<PUSHED
$pushed
PUSHED
}
feed "$saved" "$@" || exit
feed "$bin" hook "$hook" "$@"
