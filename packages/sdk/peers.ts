/**
 * Chain libraries are optional peers of the package. Each becomes a small module that imports its library when a chain of its family is first used, so that
 * an app bundles and starts without the libraries of the other families, and a missing one is named.
 */
import { basename } from 'node:path'
import type { Metafile } from 'esbuild'

type File = { readonly name: string; readonly text: string }

const IMPORT = /^import \{([^}]*)\} from "([^"]+)";$/gm
const DYNAMIC_IMPORT = /\bimport\("(\.\/[^"]+)"\)/g
/** Imports of chunks for their side effects are dropped: chunks have none. */
const BARE_IMPORT = /^import "\.\/[^"]+";$/gm
const FROM = /from "([^"]+)"/g

/** The files of the bundle with the peers linked, and the modules of the peers. Lines stay where they are, so source maps stay true. */
export function linkPeers(files: readonly File[], { outputs }: Metafile, peers: readonly string[]): readonly File[] {
  const packageOf = (specifier: string) => peers.find((peer) => specifier === peer || specifier.startsWith(`${peer}/`))
  const chunks = new Map(Object.entries(outputs).map(([path, { imports }]) => [basename(path), imports]))

  /** What must be loaded before this chunk is evaluated. */
  function peersOf(chunk: string, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(chunk)) return new Set()
    seen.add(chunk)
    const found = (chunks.get(chunk) ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap(({ path, external }) => (external === true ? [path].filter(packageOf) : [...peersOf(basename(path), seen)]))
    return new Set(found)
  }

  const names = new Map<string, Set<string>>()
  const loaders = new Map<string, File>()
  const linked = files.map(({ name, text }) => {
    if (!name.endsWith('.js')) return { name, text }
    const changed = text
      .replaceAll(BARE_IMPORT, '')
      .replaceAll(IMPORT, (line, list: string, specifier: string) => {
        if (packageOf(specifier) === undefined) return line
        const used = names.get(specifier) ?? new Set()
        names.set(specifier, used)
        for (const one of list.split(',')) used.add(one.trim().split(' as ')[0] ?? '')
        return line.replace(`"${specifier}"`, `"./${peerFile(specifier)}"`)
      })
      .replaceAll(DYNAMIC_IMPORT, (whole, path: string) => {
        const needed = [...peersOf(basename(path))].toSorted()
        if (needed.length === 0) return whole
        const loader = loaderModule(path, needed, [...new Set(needed.map(packageOf))].join(' '))
        loaders.set(path, loader)
        return `import("./${loader.name}").then(({ load }) => load())`
      })
    return { name, text: changed }
  })
  const left = linked.find(({ name, text }) => name.endsWith('.js') && [...text.matchAll(FROM)].some(([, path = '']) => packageOf(path)))
  if (left !== undefined) throw new Error(`${left.name} imports a chain library in a way that cannot be linked: import it by names`)
  for (const entry of ['index.js', 'node.js'])
    if (peersOf(entry).size > 0) throw new Error(`${entry} needs ${[...peersOf(entry)].join(', ')} at once: the core must load without it`)
  return [...linked, ...loaders.values(), ...[...names].map(([specifier, used]) => peerModule(specifier, [...used].toSorted()))]
}

const peerFile = (specifier: string) => `peer-${specifier.replaceAll(/\W+/g, '-').replace(/^-/, '')}.js`

/** Loads the peers of a chunk, and then the chunk. It is a module of its own, so that the core has none of this. */
function loaderModule(chunk: string, specifiers: readonly string[], packages: string): File {
  const text = `${specifiers.map((one, index) => `import { load as load${index} } from "./${peerFile(one)}";`).join('\n')}

export async function load() {
  await Promise.all([${specifiers.map((_, index) => `load${index}("${packages}")`).join(', ')}]);
  return import("${chunk}");
}
`
  return { name: `load-${basename(chunk)}`, text }
}

/** Bundlers know `await import()` in a `try`: a library that is missing is no error while they bundle, and only the names taken from it are kept. */
function peerModule(specifier: string, used: readonly string[]): File {
  const text = `/** Loads ${specifier}, an optional peer, and sets the exports below. \`packages\`: what the chain needs. */
export let ${used.join(', ')};

export async function load(packages) {
  try {
    const { ${used.map((one) => `${one}: ${one}_`).join(', ')} } = await import("${specifier}");
${used.map((one) => `    ${one} = ${one}_;`).join('\n')}
  } catch (cause) {
    throw new Error("@tandem/sdk could not load ${specifier}, which this chain needs: npm install " + packages, { cause });
  }
}
`
  return { name: peerFile(specifier), text }
}
