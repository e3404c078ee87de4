/** The licences of all libraries inside a bundle. They ask that their notices go with every copy; minified files have none. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

type Package = { readonly name: string; readonly version: string; readonly license?: string }

const LICENCE_FILE = /^(licen[cs]e|copying|notice)(\.|-|$)/i

/**
 * One section a package, by name. `root` is the folder of `node_modules`. Rejects for a package that names no licence and has no text of
 * one.
 */
export async function noticesOf({ inputs }: Metafile, root: string): Promise<string> {
  const folders = new Set(Object.keys(inputs).flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []))
  const sections = await Promise.all([...folders].map((folder) => sectionOf(join(root, folder))))
  return `${[...new Set(sections)].toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

async function sectionOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Package
  const files = (await readdir(folder)).filter((file) => LICENCE_FILE.test(file)).toSorted()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  if (texts.length === 0 && license === undefined) throw new Error(`${name} ${version} names no licence`)
  return [`${name} ${version} (${license ?? 'see below'})`, ...texts.map((text) => text.trim())].join('\n\n')
}
