#!/bin/sh
# What git's hooks run for cmgit: leave a request below the common git directory, start the builder beside git, return.
#
#     (set -- PYTHON FLAG EVENT [what git gave the hook]; . git-hook.sh)
#
# Prints nothing, waits for nothing, holds no descriptor of git's, leaves with 0 whatever happens. No lock of git's is
# taken and nothing is written but files in cm/. Only the pre-commit event works in the foreground: it copies the index
# that is about to be committed, because `git commit -a`, `-p` and `-- PATH` use one that is gone afterwards.
# Shell words instead of programs wherever that is possible: each program costs git a millisecond. Any shell that a hook
# may be written in reads it, in a subshell: sh, dash, bash, ksh, zsh.

exec </dev/null >/dev/null 2>&1
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
[ $# -ge 3 ] || exit 0
python=$1 flag=$2 event=$3
shift 3

# A checkout of files moves no branch. A framework tells by a variable, whatever it calls the event.
[ "${PRE_COMMIT_CHECKOUT_TYPE-1}" != 0 ] || exit 0
[ "$event" != post-checkout ] || [ "${3-1}" != 0 ] || exit 0

# The git directory of this worktree, and the one that all worktrees share.
git_dir=${GIT_DIR-}
if [ -z "$git_dir" ]; then
    if [ -d .git ]; then
        git_dir=.git
    elif [ -f .git ]; then
        IFS= read -r git_dir <.git || exit 0
        git_dir=${git_dir#gitdir: }
    else
        git_dir=$(git rev-parse --git-dir) || exit 0
    fi
fi
case $git_dir in
/*) ;;
*) git_dir=$PWD/$git_dir ;;
esac
common=$git_dir worktree=main
if [ -f "$git_dir/commondir" ]; then
    IFS= read -r common <"$git_dir/commondir" || exit 0
    case $common in
    /*) ;;
    *) common=$git_dir/$common ;;
    esac
    worktree=linked-${git_dir##*/}
fi
cm=$common/cm
[ -d "$common/objects" ] || exit 0

# For every repository of a user only where there is an index already.
if [ "${CMGIT_WHERE-}" = indexed ]; then
    [ -f "$cm/format" ] || exit 0
fi

request=$cm/queue/$worktree.request
unserved=
[ ! -f "$request" ] || unserved=yes
[ -d "$cm/queue" ] || mkdir -p "$cm/queue" || exit 0
if [ "$event" = pre-commit ]; then
    [ -f "$cm/format" ] || exit 0
    [ -d "$cm/staged" ] || mkdir -p "$cm/staged" || exit 0
    copy=$cm/staged/$$-$PPID
    cp "${GIT_INDEX_FILE:-$git_dir/index}" "$copy.index" && printf '%s\n' "$git_dir" >"$copy.ready" || {
        rm -f "$copy.index" "$copy.ready"
        exit 0
    }
else
    printf '%s\n%s\n' "$event" "$git_dir" >"$request" || exit 0
    # git starts the post-commit hook at each pick of a rebase, unless it is a link to nothing. The builder, which waits
    # for the end of the rebase, gives it its name back.
    if [ "$event" = post-checkout ] && [ -d "$git_dir/rebase-merge" ] && [ -f "$cm/hooks/post-commit" ]; then
        mv -f "$cm/hooks/post-commit" "$cm/hooks/post-commit.off"
    fi
fi

# A builder that starts or waits or works will find that. Where an earlier request was not served, its process id may be
# another's by now: then one more is started, which leaves when it was not needed. In the middle of a rebase or of a
# series of picks the builder just waits, so there no doubt arises before the end.
if [ -z "$unserved" ] || { [ "$event" != post-rewrite ] && { [ -d "$git_dir/rebase-merge" ] ||
    [ -d "$git_dir/rebase-apply" ] || [ -d "$git_dir/sequencer" ]; }; }; then
    if read -r pid <"$cm/queue/runner" && kill -0 "$pid"; then
        state=
        [ ! -r "/proc/$pid/stat" ] || read -r state <"/proc/$pid/stat"
        case $state in
        *') Z '*) ;; # ended, and a container without an init process keeps its name
        *) exit 0 ;;
        esac
    fi
fi

(
    unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_OBJECT_DIRECTORY GIT_PREFIX GIT_COMMON_DIR
    cd / || exit
    # git's command first: an amended commit has three hooks, and they need one builder. A framework takes longer, and
    # at the start of a rebase there is nothing to do yet.
    [ -z "${PRE_COMMIT-}" ] || sleep 1
    [ ! -d "$git_dir/rebase-merge" ] || sleep 2
    sleep 0.2 || sleep 1
    # Everything becomes one process, which closes what it inherited beyond the nine above.
    [ -x "$python" ] && exec nice -n 10 "$python" "$flag" -c '
import sys
try:
    from cmgit.cli.hook import hook_main
except ImportError as error:
    import os, shutil
    other = shutil.which("git-cm")
    if other:
        os.execv(other, [other, "hook", "--job", sys.argv[1]])
    import time
    os.chdir(sys.argv[1])
    with open("build.log", "a", errors="backslashreplace") as log:
        said = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), os.getpid(), type(error).__name__, error)
        log.write("%s %d background job: failed: it cannot start: %s: %s\n" % said)
else:
    hook_main(["--job", sys.argv[1]])
' "$cm"
    command -v git-cm && exec git-cm hook --job "$cm"
    [ -d "$cm" ] || exit
    said="background job: failed: it cannot start: no $python, and no git-cm on the PATH"
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ) $$" "$said" >>"$cm/build.log"
) &
echo $! >"$cm/queue/runner"
exit 0
