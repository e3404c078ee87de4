// These Debian packages make up each real node, each compiler and each library; another one is another entry.
import { createHash } from 'node:crypto'

export type NodeName = keyof typeof NODE_PACKAGES
export type ProgramName = keyof typeof PROGRAM_PACKAGES
export type PackagesName = keyof typeof ALL_PACKAGES

type ProgramPackages = { readonly binary: string; readonly releases: readonly string[]; readonly packages: readonly string[] }

/** The Debian `releases` are searched. An entry of `packages` is `name/release` where a release other than the first has to provide it. */
export const NODE_PACKAGES = {
  bitcoind: {
    binary: 'usr/bin/bitcoind',
    releases: ['trixie', 'trixie-backports'],
    packages: [
      'bitcoin-knots/trixie-backports',
      ...['libc6', 'libgcc-s1', 'libstdc++6', 'zlib1g', 'libzstd1', 'libsqlite3-0', 'libssl3t64', 'libbsd0', 'libmd0'],
      ...['libevent-core-2.1-7t64', 'libevent-extra-2.1-7t64', 'libevent-pthreads-2.1-7t64'],
      ...['libzmq5', 'libnorm1t64', 'libpgm-5.3-0t64', 'libsodium23'],
      ...['libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3', 'libkrb5support0', 'libcom-err2', 'libkeyutils1'],
    ],
  },
  litecoind: {
    // usr/bin/litecoind of this package is a shell script that writes into the home folder.
    binary: 'usr/lib/litecoin/litecoind',
    releases: ['trixie'],
    packages: [
      'litecoind',
      ...['libc6', 'libgcc-s1', 'libstdc++6', 'zlib1g', 'libssl3t64', 'libzstd1', 'libsqlite3-0', 'libdb5.3++t64', 'libfmt10'],
      ...['libboost-filesystem1.83.0', 'libboost-thread1.83.0', 'libleveldb1d', 'libsnappy1v5', 'libminiupnpc18'],
      ...['libevent-2.1-7t64', 'libevent-pthreads-2.1-7t64', 'libzmq5', 'libnorm1t64', 'libpgm-5.3-0t64', 'libsodium23'],
      ...['libbsd0', 'libmd0', 'libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3', 'libkrb5support0', 'libcom-err2', 'libkeyutils1'],
    ],
  },
} as const satisfies Record<string, ProgramPackages>

const COMPILER_PACKAGES = {
  clang: {
    binary: 'usr/lib/llvm-19/bin/clang',
    releases: ['trixie'],
    packages: [
      ...['clang-19', 'libclang-cpp19', 'libllvm19', 'libc6', 'libgcc-s1', 'libstdc++6', 'zlib1g', 'libzstd1', 'liblzma5'],
      ...['libedit2', 'libbsd0', 'libmd0', 'libtinfo6', 'libffi8', 'libxml2', 'libz3-4'],
    ],
  },
} as const satisfies Record<string, ProgramPackages>

type LibraryPackages = { readonly releases: readonly string[]; readonly packages: readonly string[] }

/** The library is for the machine's Python interpreter. */
const LIBRARY_PACKAGES = {
  'python-ecdsa': { releases: ['trixie'], packages: ['python3-ecdsa', 'python3-six'] },
} as const satisfies Record<string, LibraryPackages>

/** It runs with the machine's own C library, so it comes from the oldest supported release. It has narrow and wide fonts, so that pages look the same everywhere. */
const BROWSER_PACKAGES = {
  chromium: {
    binary: 'usr/lib/chromium/chromium-headless-shell',
    releases: ['bookworm'],
    packages: [
      ...['chromium-headless-shell', 'chromium-common', 'libgcc-s1', 'libstdc++6', 'zlib1g', 'libzstd1', 'liblzma5', 'liblz4-1'],
      ...['libasound2', 'libatk1.0-0', 'libatspi2.0-0', 'libdav1d6', 'libdbus-1-3', 'libdouble-conversion3', 'libexpat1', 'libflac12'],
      ...['libfontconfig1', 'libfreetype6', 'libgbm1', 'libglib2.0-0', 'libharfbuzz-subset0', 'libharfbuzz0b', 'libjpeg62-turbo'],
      ...['libminizip1', 'libnspr4', 'libnss3', 'libopenh264-7', 'libopus0', 'libpulse0', 'libudev1', 'libxkbcommon0', 'libxnvctrl0'],
      ...['libogg0', 'libvorbis0a', 'libvorbisenc2', 'libsndfile1', 'libmp3lame0', 'libmpg123-0', 'libsystemd0', 'libcap2', 'libgcrypt20'],
      ...[
        'libgpg-error0',
        'libffi8',
        'libmount1',
        'libblkid1',
        'libselinux1',
        'libpcre2-8-0',
        'libpng16-16',
        'libbrotli1',
        'libgraphite2-3',
      ],
      ...['libbsd0', 'libmd0', 'libx11-6', 'libxcb1', 'libxcomposite1', 'libxdamage1', 'libxext6', 'libxfixes3', 'libxrandr2', 'libxau6'],
      ...['libxdmcp6', 'libxrender1', 'libxi6', 'libxtst6', 'libdrm2', 'libwayland-server0', 'libsqlite3-0', 'libuuid1', 'libbz2-1.0'],
      ...[
        'libasyncns0',
        'libx11-xcb1',
        'libxcb-shm0',
        'libxcb-randr0',
        'libx11-data',
        'fontconfig-config',
        'fonts-liberation',
        'fonts-urw-base35',
        'fonts-dejavu-core',
      ],
    ],
  },
} as const satisfies Record<string, ProgramPackages>

export const ALL_PACKAGES = { ...NODE_PACKAGES, ...COMPILER_PACKAGES, ...BROWSER_PACKAGES, ...LIBRARY_PACKAGES }
export const PROGRAM_PACKAGES = { ...NODE_PACKAGES, ...COMPILER_PACKAGES }

/** The folder name changes with the list of packages. */
export const programFolderName = (name: PackagesName): string => {
  const content = createHash('sha256').update(JSON.stringify(ALL_PACKAGES[name])).digest('hex')
  return `${name}-${process.arch}-${content.slice(0, 12)}`
}
