#!/bin/sh
# Builds git-longtask with the Go of this machine and installs it.
set -eu

usage() {
	cat <<'TXT'
usage: ./install.sh [--prefix <dir>] [--demo]
       ./install.sh [--prefix <dir>] --uninstall

  --prefix <dir>  install below <dir> (default: ~/.local); running again upgrades
  --demo          then show the main job in a throw-away repository
  --uninstall     remove what this script installed below <dir>
TXT
}

die() {
	echo "install.sh: $1" >&2
	exit "${2:-1}"
}

# major.minor of $1 is at least that of $2
at_least() {
	have_major=${1%%.*} have_rest=${1#*.}
	want_major=${2%%.*} want_rest=${2#*.}
	have_minor=${have_rest%%[!0-9]*} want_minor=${want_rest%%[!0-9]*}
	[ "$have_major" -gt "$want_major" ] ||
		{ [ "$have_major" -eq "$want_major" ] && [ "${have_minor:-0}" -ge "${want_minor:-0}" ]; }
}

need_git() {
	command -v git >/dev/null 2>&1 || die "Git $git_floor or later is needed, and there is no git on PATH"
	have=$(git version | sed 's/^git version //')
	at_least "$have" "$git_floor" || die "Git $git_floor or later is needed, this is Git $have"
}

# An older Go fetches the one that go.mod names by itself, where it may.
need_go() {
	floor=$(sed -n 's/^go //p' go.mod)
	command -v go >/dev/null 2>&1 || die "Go $floor or later is needed to build, and there is no go on PATH; see https://go.dev/doc/install"
	have=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//')
	at_least "${have:-0.0}" "$floor" || go version >/dev/null 2>&1 ||
		die "Go $floor or later is needed to build, this is Go ${have:-of an unknown version}; see https://go.dev/doc/install"
}

build() {
	version=$(git describe --tags --always --dirty 2>/dev/null) || version=unknown
	mkdir -p "$prefix/bin"
	prefix=$(cd "$prefix" && pwd)
	fresh=$prefix/bin/.git-longtask.$$
	trap 'rm -f "$fresh"' EXIT
	trap 'exit 130' INT TERM
	GOOS='' GOARCH='' CGO_ENABLED=0 go build -tags urfave_cli_no_docs -trimpath -buildvcs=false \
		-ldflags "-s -w -X main.stamped=$version" -o "$fresh" ./cmd/git-longtask ||
		die "the build failed; what go said stands above"
	mv -f "$fresh" "$prefix/bin/git-longtask"
	echo "installed git-longtask $version as $prefix/bin/git-longtask"
}

man=share/man/man1/git-longtask.1
bash=share/bash-completion/completions/git-longtask
zsh=share/zsh/site-functions/_git-longtask
fish=share/fish/vendor_completions.d/git-longtask.fish

# put FILE: standard input becomes FILE below the prefix, at once.
put() {
	mkdir -p "$prefix/${1%/*}"
	cat >"$prefix/$1.$$"
	mv -f "$prefix/$1.$$" "$prefix/$1"
}

install_extras() {
	put "$man" <docs/git-longtask.1
	"$prefix/bin/git-longtask" completion bash | put "$bash"
	"$prefix/bin/git-longtask" completion zsh | put "$zsh"
	"$prefix/bin/git-longtask" completion fish | put "$fish"
}

# A shell word, quoted where it must be.
word() {
	case $1 in
	*[!A-Za-z0-9_./~+-]*) printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")" ;;
	*) printf %s "$1" ;;
	esac
}

say_paths() {
	case ":$PATH:" in
	*":$prefix/bin:"*) ;;
	*) echo "it is not on PATH yet; add this line to your shell's profile: export PATH=$(word "$prefix/bin"):\"\$PATH\"" ;;
	esac
	[ -f "$prefix/$man" ] && command -v man >/dev/null 2>&1 || return 0
	pages=$(env PATH="$prefix/bin:$PATH" manpath 2>/dev/null || env PATH="$prefix/bin:$PATH" man -w 2>/dev/null) || pages=
	case ":$pages:" in
	*":$prefix/share/man:"*) ;;
	*) echo "for git longtask --help, also: export MANPATH=$(word "$prefix/share/man"):\"\${MANPATH:-}\"" ;;
	esac
}

uninstall() {
	for file in bin/git-longtask "$man" "$bash" "$zsh" "$fish"; do
		[ -e "$prefix/$file" ] || [ -L "$prefix/$file" ] || continue
		rm -f "$prefix/$file"
		echo "removed $prefix/$file"
	done
	echo "hooks in repositories are not touched: git longtask uninstall removes those, before this"
}

git_floor=2.36
prefix=${HOME:+$HOME/.local} action=install demo=
while [ $# -gt 0 ]; do
	case $1 in
	--prefix)
		[ $# -ge 2 ] || { usage >&2; die "--prefix needs a directory" 2; }
		prefix=$2
		shift
		;;
	--prefix=*) prefix=${1#--prefix=} ;;
	--demo) demo=yes ;;
	--uninstall) action=uninstall ;;
	-h | --help) usage; exit 0 ;;
	*) usage >&2; die "unknown option $1" 2 ;;
	esac
	shift
done
[ -n "$prefix" ] || die "HOME is not set, so say where to install: --prefix <dir>" 2
[ -z "$demo" ] || [ "$action" = install ] || { usage >&2; die "--demo and --uninstall exclude each other" 2; }
case $prefix in
/*) ;;
*) prefix=$(pwd)/$prefix ;;
esac
cd "$(dirname "$0")"

if [ "$action" = uninstall ]; then
	uninstall
	exit 0
fi
need_git
need_go
# Started from a hook, git would be tied to the repository of that hook.
# shellcheck disable=SC2046 # one name a word
unset $(git rev-parse --local-env-vars)
build
install_extras
say_paths
if [ -n "$demo" ]; then
	PATH=$prefix/bin:$PATH git longtask demo
fi
