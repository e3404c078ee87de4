/** Shell functions in place of commands that a test cannot run: each says why, and checks what it can. */

/** Functions of the shell. */
export const STAND_INS = `
npm() {
  case "$1 $2" in
    # It needs a registry. Whether package.json and the lock agree needs none.
    'ci '*) command npm ci --dry-run --offline >/dev/null ;;
    # It needs a registry (packages/sdk/package.nodes.test.ts has one). The tarball is unpacked, the libraries are those beside it.
    'install '*)
      mkdir -p node_modules/@tandem/sdk && tar -xzf "$2" --strip-components=1 -C node_modules/@tandem/sdk &&
        for name in "\${2%/*}"/node_modules/*; do [ -e "node_modules/\${name##*/}" ] || ln -s "$(realpath "$name")" node_modules/; done ;;
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
