// The import rules of docs/architecture.md: protocol ← chains, store ← engine ← service, solver ← cli. Tests may use anything.

/** What code outside of `chains/` may use of it. */
const port = '^packages/families/(port/|index\\.ts$)'

/** What each room may import of ours besides itself; npm packages and node modules are ruled below. */
const rooms = {
  protocol: { path: '^packages/protocol/', may: [] },
  workers: { path: '^packages/runtime/workers/', may: ['^packages/protocol/'] },
  keys: { path: '^packages/keys/', may: ['^packages/protocol/', '^packages/runtime/workers/'] },
  'solver-auth': { path: '^packages/party/solver-auth/', may: ['^packages/protocol/', '^packages/keys/'] },
  chains: {
    path: '^packages/families/',
    may: ['^packages/protocol/', '^packages/runtime/workers/', '^packages/keys/', '^contracts/[^/]+/(artifacts|client)/', '^src/(log|http-client)\\.ts$'],
  },
  store: { path: '^packages/party/store/', may: ['^packages/protocol/', '^src/(log|ttl-cache)\\.ts$'] },
  engine: {
    path: '^packages/party/engine/',
    may: ['^packages/protocol/', '^packages/keys/', port, '^packages/party/store/', '^src/log\\.ts$'],
  },
  config: { path: '^packages/party/config/', may: ['^packages/protocol/', '^packages/keys/', port, '^packages/party/engine/', '^src/(package-root|log)\\.ts$'] },
  metrics: { path: '^packages/party/metrics/', may: ['^packages/protocol/', port, '^packages/party/store/', '^packages/party/engine/', '^src/log\\.ts$'] },
  prices: {
    path: '^packages/party/prices/',
    may: ['^packages/protocol/', port, '^packages/party/store/', '^src/(log|http-client)\\.ts$', '^packages/party/config/'],
  },
  service: {
    path: '^packages/service/',
    may: ['^packages/party/metrics/', '^packages/protocol/', '^packages/keys/', port, '^packages/party/store/', '^packages/party/engine/', '^packages/party/prices/', '^packages/party/solver-auth/', '^src/(closing|log|http-client|ttl-cache|package-root)\\.ts$', '^packages/party/config/'],
  },
  solver: {
    path: '^packages/solver/',
    may: ['^packages/party/metrics/', '^packages/protocol/', '^packages/keys/', port, '^packages/party/store/', '^packages/party/engine/', '^packages/party/prices/', '^packages/party/solver-auth/', '^src/(closing|log|ttl-cache)\\.ts$', '^packages/party/config/'],
  },
  devnet: { path: '^devnet/', may: ['^packages/protocol/', '^packages/keys/', '^packages/families/', '^src/log\\.ts$', '^contracts/'] },
  contracts: { path: '^contracts/', may: [] },
  // What the pages can do, any integrator can: only what the SDK exports. Operators have an interface of their own; the reference searches as the server does.
  web: { path: '^web/', may: ['^sdk/(src/index|notices)\\.ts$', '^src/protocol/wire/operator\\.ts$', '^src/service/reference/search\\.ts$'] },
  sdk: { path: '^sdk/', may: ['^src/(protocol|keys|chains)/', '^contracts/([^/]+/(artifacts|client)|deployments)/'] },
}

const ours = '^(src|devnet|contracts|sdk|test|bench|demo|docs|examples|bin|web)/'

// Files that exist for tests: they may use anything, and nothing else may use them.
const testing = ['\\.test\\.tsx?$', '\\.(fixture|conformance)\\.ts$', '(^|/)(testing|mutation)/']

const roomRules = Object.entries(rooms).map(([name, { path, may }]) => ({
  name: `${name}-imports`,
  severity: 'error',
  comment: `${name} may import only: itself${may.map((allowed) => `, ${allowed}`).join('')}`,
  from: { path, pathNot: testing },
  to: { path: ours, pathNot: [path, ...may] },
}))

/** Libraries that only the folders of these families may import. HyperCore and Tron speak the contract language of EVM chains. */
const familyLibraries = {
  '@scure/btc-signer': ['bitcoin'],
  viem: ['evm', 'tron', 'hypercore'],
  ox: ['evm', 'tron', 'hypercore'],
  tronweb: ['tron'],
  '@nomicfoundation': ['evm', 'tron', 'hypercore'],
  '@solana': ['solana'],
  '@solana-program': ['solana'],
  litesvm: ['solana'],
  starknet: ['starknet'],
  '@starknet-io': ['starknet'],
  '@mysten': ['sui'],
  xrpl: ['xrpl'],
}

const libraryRules = Object.entries(familyLibraries).map(([library, families]) => ({
  name: `${library}-stays-in-its-family`,
  severity: 'error',
  comment: 'no code outside of a family knows how the family does it',
  from: { path: '^(src|devnet|sdk)/', pathNot: [...testing, `^(packages/families|devnet|packages/families)/(${families.join('|')})/`] },
  to: { path: `(^|/)node_modules/${library}/` },
}))

/** What every process knows of each family, with the files that this needs. */
const factsOfFamilies = '^packages/families/([^/]+/facts|bitcoin/networks|solana/base58-length)\\.ts$'

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'service-and-solver-are-strangers',
      severity: 'error',
      comment: 'two parties that talk over HTTP only',
      from: { path: '^src/(service|solver)/', pathNot: testing },
      to: { path: '^src/(service|solver)/', pathNot: '^src/$1/' },
    },
    {
      name: 'family-imports-no-family',
      severity: 'error',
      comment: 'a family is a folder',
      from: { path: '^packages/families/([^/]+)/', pathNot: [...testing, '^packages/families/(tron|hypercore)/'] },
      to: { path: '^packages/families/[^/]+/', pathNot: ['^packages/families/$1/', '^packages/families/(port|providers|contract)/'] },
    },
    {
      name: 'evm-relatives-import-evm-only',
      severity: 'error',
      comment: 'tron and hypercore speak the same contract language',
      from: { path: '^packages/families/(tron|hypercore)/', pathNot: testing },
      to: { path: '^packages/families/[^/]+/', pathNot: '^packages/families/($1|evm|port|providers|contract)/' },
    },
    {
      name: 'family-knows-only-its-interface',
      severity: 'error',
      comment: 'the list of families imports the families, never the other way round',
      from: { path: '^packages/families/[^/]+/', pathNot: testing },
      to: { path: '^src/chains/index\\.ts$' },
    },
    {
      name: 'families-load-when-used',
      severity: 'error',
      comment: 'a family that no configured chain belongs to needs no memory: the lists import only facts, the rest dynamically',
      from: { path: '^(packages/families|devnet)/index\\.ts$' },
      to: { path: '^(packages/families|devnet)/[^/]+/', pathNot: ['^packages/chain-kit/port/', '^packages/families/[^/]+/facts\\.ts$'], dynamic: false },
    },
    {
      name: 'sdk-families-load-when-used',
      severity: 'error',
      comment: 'a page loads only the families that its user swaps with; types cost nothing',
      from: { path: '^packages/sdk/src/', pathNot: [...testing, '^packages/families/[^/]+/'] },
      to: { path: ['^packages/families/[^/]+/', '^packages/families/'], dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sdk-runs-in-browsers',
      severity: 'error',
      comment: 'no Node built-in; packages/sdk/bundle.test.ts checks what it imports',
      from: { path: '^packages/sdk/src/', pathNot: [...testing, '^packages/sdk/src/node/'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'web-uses-few-libraries',
      severity: 'error',
      comment: 'pages are light, and load nothing that the SDK does not',
      from: { path: '^web/', pathNot: [...testing, '^web/(build|single-file)\\.ts$'] },
      to: { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/(preact|@preact/signals|uqr)/' },
    },
    {
      name: 'web-runs-in-browsers',
      severity: 'error',
      comment: 'no Node built-in',
      from: { path: '^web/', pathNot: [...testing, '^web/(build|single-file)\\.ts$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'family-facts-need-no-library',
      severity: 'error',
      comment: 'every process loads the facts of every family',
      from: { path: factsOfFamilies, pathNot: testing },
      to: { pathNot: [factsOfFamilies, '^src/(protocol|chains/port)/', '(^|/)node_modules/@scure/base/'] },
    },
    {
      name: 'src-imports-no-test',
      severity: 'error',
      comment: 'what is shipped does not depend on what checks or shows it',
      from: { path: '^(src|devnet|contracts|packages/sdk/src|web)/', pathNot: testing },
      to: { path: ['^(test|bench|demo|docs|examples)/', ...testing] },
    },
    {
      name: 'protocol-does-no-io',
      severity: 'error',
      comment: 'no clock, no disk, no network: the protocol also runs in a browser',
      from: { path: '^packages/protocol/', pathNot: testing },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'protocol-uses-hashes-only',
      severity: 'error',
      comment: 'no chain library',
      from: { path: '^packages/protocol/', pathNot: [...testing, '^packages/protocol/(wire|funding)/'] },
      to: { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/@noble/hashes/' },
    },
    {
      name: 'wire-uses-hashes-and-typebox-only',
      severity: 'error',
      comment: 'schemas of what goes over HTTP',
      from: { path: '^packages/protocol/(wire|funding)/', pathNot: testing },
      to: { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/(@noble/hashes|typebox)/' },
    },
    ...libraryRules,
    {
      name: 'database-libraries-stay-in-store',
      severity: 'error',
      comment: 'one room speaks SQL',
      from: { path: '^(src/(protocol|chains|engine|service|solver)|devnet)/', pathNot: testing },
      to: { path: '(^|/)node_modules/(kysely|pg)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'a circle, of type imports too, hides which file depends on which: move what both need to a third',
      from: {},
      to: { circular: true },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-development-packages-in-what-is-shipped',
      severity: 'error',
      from: { path: '^(src|devnet|bin)/', pathNot: testing },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(\\.tandem|vectors)/|^(sdk/)?dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
}
