/** What the commands of pages do in place of what cannot be done in a test: each says why, and checks what it can. */

/** Functions of the shell. */
export const STAND_INS = `
npm() {
  case "$1 $2" in
    # Need a registry. That package.json and the lock agree needs none.
    'ci '*) command npm ci --dry-run --offline >/dev/null ;;
    'install '*) command npm install --offline "\${@:2}" ;;
    # The packages are those of the suite itself.
    'prune '*) command npm prune --dry-run --offline "\${@:2}" >/dev/null ;;
    # This is the suite. What it is asked for is there.
    'test '*) for part in "\${@:2}"; do case "$part" in */*) [ -e "$part" ] || return 1 ;; esac; done ;;
    'run test:nodes' | 'run check' | 'run format') ;;
    *) command npm "$@" ;;
  esac
}
# What it does for a program that is installed, without loading npm.
npx() { "node_modules/.bin/$1" "\${@:2}"; }
# Needs a registry. The suite has the package from Debian.
pip() { [ "$*" = 'install ecdsa' ] && python3 -c 'import ecdsa'; }
`
