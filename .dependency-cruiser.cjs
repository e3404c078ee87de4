// The import rules of docs/architecture.md: protocol ← chains, store ← engine ← service, solver ← cli. Tests may use anything.

/** What code outside of `chains/` may use of it. */
const port = '^src/chains/(port/|index\\.ts$)'

/** What each room may import of ours besides itself; npm packages and node modules are ruled below. */
const rooms = {
  protocol: { path: '^src/protocol/', may: [] },
  workers: { path: '^src/workers/', may: ['^src/protocol/'] },
  keys: { path: '^src/keys/', may: ['^src/protocol/', '^src/workers/'] },
  'solver-auth': { path: '^src/solver-auth/', may: ['^src/protocol/', '^src/keys/'] },
  chains: {
    path: '^src/chains/',
    may: ['^src/protocol/', '^src/workers/', '^src/keys/', '^contracts/[^/]+/(artifacts|client)/', '^src/(log|http-client)\\.ts$'],
  },
  store: { path: '^src/store/', may: ['^src/protocol/', '^src/(log|ttl-cache)\\.ts$'] },
  engine: {
    path: '^src/engine/',
    may: ['^src/protocol/', '^src/keys/', port, '^src/store/', '^src/log\\.ts$'],
  },
  config: { path: '^src/config/', may: ['^src/protocol/', '^src/keys/', port, '^src/engine/', '^src/(package-root|log)\\.ts$'] },
  metrics: { path: '^src/metrics/', may: ['^src/protocol/', port, '^src/store/', '^src/engine/', '^src/log\\.ts$'] },
  prices: {
    path: '^src/prices/',
    may: ['^src/protocol/', port, '^src/store/', '^src/(log|http-client)\\.ts$', '^src/config/'],
  },
  service: {
    path: '^src/service/',
    may: ['^src/metrics/', '^src/protocol/', '^src/keys/', port, '^src/store/', '^src/engine/', '^src/prices/', '^src/solver-auth/', '^src/(closing|log|http-client|ttl-cache|package-root)\\.ts$', '^src/config/'],
  },
  solver: {
    path: '^src/solver/',
    may: ['^src/metrics/', '^src/protocol/', '^src/keys/', port, '^src/store/', '^src/engine/', '^src/prices/', '^src/solver-auth/', '^src/(closing|log|ttl-cache)\\.ts$', '^src/config/'],
  },
  devnet: { path: '^devnet/', may: ['^src/protocol/', '^src/keys/', '^src/chains/', '^src/log\\.ts$', '^contracts/'] },
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
  from: { path: '^(src|devnet|sdk)/', pathNot: [...testing, `^(src/chains|devnet|sdk/src/families)/(${families.join('|')})/`] },
  to: { path: `(^|/)node_modules/${library}/` },
}))

/** What every process knows of each family, with the files that this needs. */
const factsOfFamilies = '^src/chains/([^/]+/facts|bitcoin/networks|solana/base58-length)\\.ts$'

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
      from: { path: '^src/chains/([^/]+)/', pathNot: [...testing, '^src/chains/(tron|hypercore)/'] },
      to: { path: '^src/chains/[^/]+/', pathNot: ['^src/chains/$1/', '^src/chains/(port|providers|contract)/'] },
    },
    {
      name: 'evm-relatives-import-evm-only',
      severity: 'error',
      comment: 'tron and hypercore speak the same contract language',
      from: { path: '^src/chains/(tron|hypercore)/', pathNot: testing },
      to: { path: '^src/chains/[^/]+/', pathNot: '^src/chains/($1|evm|port|providers|contract)/' },
    },
    {
      name: 'family-knows-only-its-interface',
      severity: 'error',
      comment: 'the list of families imports the families, never the other way round',
      from: { path: '^src/chains/[^/]+/', pathNot: testing },
      to: { path: '^src/chains/index\\.ts$' },
    },
    {
      name: 'families-load-when-used',
      severity: 'error',
      comment: 'a family that no configured chain belongs to needs no memory: the lists import only facts, the rest dynamically',
      from: { path: '^(src/chains|devnet)/index\\.ts$' },
      to: { path: '^(src/chains|devnet)/[^/]+/', pathNot: ['^src/chains/port/', '^src/chains/[^/]+/facts\\.ts$'], dynamic: false },
    },
    {
      name: 'sdk-families-load-when-used',
      severity: 'error',
      comment: 'a page loads only the families that its user swaps with; types cost nothing',
      from: { path: '^sdk/src/', pathNot: [...testing, '^sdk/src/families/[^/]+/'] },
      to: { path: ['^sdk/src/families/[^/]+/', '^src/chains/'], dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sdk-runs-in-browsers',
      severity: 'error',
      comment: 'no Node built-in; sdk/bundle.test.ts checks what it imports',
      from: { path: '^sdk/src/', pathNot: [...testing, '^sdk/src/node/'] },
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
      from: { path: '^(src|devnet|contracts|sdk/src|web)/', pathNot: testing },
      to: { path: ['^(test|bench|demo|docs|examples)/', ...testing] },
    },
    {
      name: 'protocol-does-no-io',
      severity: 'error',
      comment: 'no clock, no disk, no network: the protocol also runs in a browser',
      from: { path: '^src/protocol/', pathNot: testing },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'protocol-uses-hashes-only',
      severity: 'error',
      comment: 'no chain library',
      from: { path: '^src/protocol/', pathNot: [...testing, '^src/protocol/(wire|funding)/'] },
      to: { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/@noble/hashes/' },
    },
    {
      name: 'wire-uses-hashes-and-typebox-only',
      severity: 'error',
      comment: 'schemas of what goes over HTTP',
      from: { path: '^src/protocol/(wire|funding)/', pathNot: testing },
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
