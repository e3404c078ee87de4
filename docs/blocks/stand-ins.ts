/** Shell functions in place of commands that a test cannot run: each says why, and checks what it can. */

/** Functions of the shell. */
export const STAND_INS = `
npm() {
  case "$1 $2" in
    # It needs a registry. Whether package.json and the lock agree needs none.
    'ci '*) command npm ci --dry-run --offline >/dev/null ;;
    # The version that the SDK was tried with: a mirror may lack what the newest one asks for.
    'install '*) command npm "\${@/#viem/viem@2.57.1}" --no-audit --no-fund ;;
    # The packages are those of the suite itself.
    'prune '*) command npm prune --dry-run --offline "\${@:2}" >/dev/null ;;
    # This is the suite. What it is asked for is there.
    'test '*) for part in "\${@:2}"; do case "$part" in */*) [ -e "$part" ] || return 1 ;; esac; done ;;
    'run test:nodes' | 'run check' | 'run format') ;;
    *) command npm "$@" ;;
  esac
}
# The same for an installed program, without loading npm.
npx() { "node_modules/.bin/$1" "\${@:2}"; }
# It needs a registry. The suite has the package from Debian.
pip() { [ "$*" = 'install ecdsa' ] && python3 -c 'import ecdsa'; }
`
