// The import rules of docs/architecture.md. What a package may import of ours is what its package.json lists. Tests may use anything.
const { existsSync, readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

/** Files that exist for tests: they may use anything, and nothing else may use them. */
const testing = ['\\.test\\.tsx?$', '\\.(fixture|conformance)\\.ts$', '(^|/)(testing|mutation)/']

const families = readdirSync(join(__dirname, 'packages', 'families')).filter((name) =>
  existsSync(join(__dirname, 'packages', 'families', name, 'package.json')),
)
const folders = [
  ...readdirSync(join(__dirname, 'packages')).map((name) => `packages/${name}`),
  ...families.map((name) => `packages/families/${name}`),
]
const packages = folders.map((folder) => {
  const { name, dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(__dirname, folder, 'package.json'), 'utf8'))
  // What the SDK has inside is no dependency of the package.
  return { name, folder, dependencies: Object.keys(name === '@tandem/sdk' ? devDependencies : dependencies) }
})
const anyFamily = `^packages/families/(${families.join('|')})/`
/** Matches the files of the package, not those of packages in folders below it. */
const filesOf = (folder) => (folder === 'packages/families' ? `^packages/families/(?!(${families.join('|')})/)` : `^${folder}/`)
const folderOf = (name) => packages.find((one) => one.name === name)?.folder

const packageRules = packages.map(({ name, folder, dependencies }) => {
  const allowed = dependencies.map(folderOf).filter((other) => other !== undefined)
  return {
    name: `${name.replace('@tandem/', '')}-imports-its-dependencies`,
    severity: 'error',
    comment: `${folder}/package.json says what the package may import of ours`,
    from: { path: filesOf(folder), pathNot: testing },
    to: { path: '^packages/', pathNot: [folder, ...allowed].map(filesOf) },
  }
})

/** What code outside of families may use of the kit that they are made with. */
const port = '^packages/chain-kit/(port|browser|local)/'

/** What each folder of a package may import of the package, besides itself. Other packages are ruled by package.json. */
const folderRules = Object.entries({
  'party/store': [],
  'party/solver-auth': [],
  'party/engine': ['store'],
  'party/config': ['engine'],
  'party/metrics': ['store', 'engine'],
  'party/prices': ['store', 'config'],
}).map(([path, may]) => {
  const [room] = path.split('/')
  return {
    name: `${path.replace('/', '-')}-imports`,
    severity: 'error',
    comment: `packages/${path} may import of its package only: ${['itself', ...may].join(', ')}`,
    from: { path: `^packages/${path}/`, pathNot: testing },
    to: { path: `^packages/${room}/`, pathNot: [`^packages/${path}/`, ...may.map((name) => `^packages/${room}/${name}/`)] },
  }
})

/** What every process knows of each family, with the files that this needs. */
const factsOfFamilies = '^packages/families/[a-z]+/terms/(facts|networks|base58-length|chain-data|registry|registry/[a-z-]+)\\.ts$'

module.exports = {
  forbidden: [
    ...packageRules,
    ...folderRules,
    {
      name: 'family-is-used-through-its-port',
      severity: 'error',
      comment: 'code that serves all families knows the port, not how a family does it',
      from: { path: '^packages/(party|signer|service|solver|local|cli)/', pathNot: testing },
      to: { path: '^packages/chain-kit/', pathNot: port },
    },
    {
      name: 'kit-parts-know-only-the-port',
      severity: 'error',
      comment: 'the port says what a family is; it needs none of the parts that families are made with',
      from: { path: '^packages/chain-kit/port/', pathNot: testing },
      to: { path: '^packages/chain-kit/', pathNot: '^packages/chain-kit/port/' },
    },
    {
      name: 'keys-are-held-in-their-package',
      severity: 'error',
      comment: 'a key is reached through an operation, which says what is signed',
      from: { path: '^packages/', pathNot: ['^packages/keys/', ...testing] },
      to: { path: '^packages/keys/held-keys\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'families-load-when-used',
      severity: 'error',
      comment: 'a family that no configured chain belongs to needs no memory: the lists import only facts and rows, the rest dynamically',
      from: { path: '^packages/families/[^/]+$', pathNot: testing },
      to: { path: anyFamily, pathNot: ['^packages/families/[a-z]+/terms/(facts|registry)\\.ts$'], dynamic: false },
    },
    {
      name: 'family-facts-need-no-library',
      severity: 'error',
      comment: 'every process loads the facts and the rows of every family',
      from: { path: factsOfFamilies, pathNot: testing },
      to: { pathNot: [factsOfFamilies, '^packages/(protocol|chain-kit/port)/', '(^|/)node_modules/@scure/base/'] },
    },
    {
      name: 'sdk-families-load-when-used',
      severity: 'error',
      comment: 'a page loads only the families that its user swaps with; types cost nothing',
      from: { path: '^packages/sdk/src/', pathNot: [...testing, '^packages/sdk/src/wallets/'] },
      to: { path: anyFamily, dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'browser-code-uses-no-node-built-in',
      severity: 'error',
      comment: 'these files are loaded by browsers',
      from: {
        path: [
          '^packages/protocol/',
          '^packages/families/[a-z]+/(terms|browser)/',
          '^packages/chain-kit/(port|browser)/',
          '^packages/sdk/src/(?!node/)',
          '^packages/web/(pages|shared)/',
        ],
        pathNot: testing,
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'terms-and-browser-parts-need-no-server',
      severity: 'error',
      comment: 'a browser loads them; types cost nothing',
      from: { path: '^packages/families/[a-z]+/(terms|browser)/', pathNot: testing },
      to: { path: '^packages/families/[a-z]+/(server|local)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'server-needs-no-local-chain',
      severity: 'error',
      comment: 'production has no simulator',
      from: { path: '^packages/families/[a-z]+/server/', pathNot: testing },
      to: { path: '^packages/families/[a-z]+/(local|browser)/' },
    },
    {
      name: 'simulators-share-no-code-with-what-they-judge',
      severity: 'error',
      comment: 'a fault in code that both use would be invisible: a simulator has its own, or that of the chain’s official library',
      from: { path: '^packages/families/[a-z]+/local/', pathNot: testing },
      to: { path: ['^packages/families/[a-z]+/(terms|server|browser|contract)/', '^packages/(keys|chain-kit)/'], pathNot: ['/contract/artifacts/', '^packages/chain-kit/local/'] },
    },
    {
      name: 'web-uses-few-libraries',
      severity: 'error',
      comment: 'pages are light, and load nothing that the SDK does not',
      from: { path: '^packages/web/(pages|shared)/', pathNot: testing },
      to: { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/(preact|@preact/signals|uqr)/' },
    },
    {
      name: 'web-knows-what-integrators-know',
      severity: 'error',
      comment: 'what the pages can do, any integrator can. Operators have an interface of their own; the reference searches as the server does',
      from: { path: '^packages/web/(pages|shared)/', pathNot: testing },
      to: {
        path: '^packages/',
        pathNot: ['^packages/web/', '^packages/sdk/src/index\\.ts$', '^packages/protocol/wire/operator\\.ts$', '^packages/service/web/search\\.ts$'],
      },
    },
    {
      name: 'shipped-code-imports-no-test',
      severity: 'error',
      comment: 'what is shipped does not depend on what checks or shows it',
      from: { path: '^packages/', pathNot: testing },
      to: { path: ['^(test|bench|demo|docs|examples)/', ...testing] },
    },
    {
      name: 'protocol-uses-hashes-only',
      severity: 'error',
      comment: 'no library but hashes, and the schemas of what goes over HTTP',
      from: { path: '^packages/protocol/', pathNot: [...testing, '^packages/protocol/(wire|funding)/'] },
      to: { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/@noble/hashes/' },
    },
    {
      name: 'database-libraries-stay-in-store',
      severity: 'error',
      comment: 'one folder speaks SQL',
      from: { path: '^packages/(party|service|solver|cli)/', pathNot: [...testing, '^packages/party/store/'] },
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
      name: 'libraries-are-listed',
      severity: 'error',
      comment: 'a package lists every library that it imports in its own package.json',
      from: { path: '^(packages|bin)/', pathNot: testing },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'production-needs-no-development-library',
      severity: 'error',
      comment: 'an installation without development dependencies has neither simulators nor compilers',
      from: {
        path: '^(packages|bin)/',
        pathNot: [
          ...testing,
          '^packages/families/[a-z]+/(local|contract)/',
          '^packages/local/',
          '^packages/(sdk|web|reference)/',
        ],
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(\\.tandem|vectors|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
}
