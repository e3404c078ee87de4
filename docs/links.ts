/** Finds mistakes in Markdown pages that no type check sees: relative links without a target, and `npm run` commands without a script. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `page: link` for each relative link that leads to no file or folder. */
export function brokenLinks(repository: string): readonly string[] {
  return markdownPages(repository).flatMap((page) => {
    const links = [...withoutCodeBlocks(readPage(repository, page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '')
    return links.filter((link) => isBroken(repository, page, link)).map((link) => `${page}: ${link}`)
  })
}

/** `page: npm run X` for each command whose script package.json does not have. */
export function missingScripts(repository: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: Readonly<Record<string, string>> }
  return markdownPages(repository).flatMap((page) => {
    const names = [...readPage(repository, page).matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, name]) => name ?? '')
    return names.filter((name) => scripts[name] === undefined).map((name) => `${page}: npm run ${name}`)
  })
}

export function markdownPages(repository: string): readonly string[] {
  const entries = readdirSync(repository, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules' && !name.startsWith('.'))
  const pages = entries.flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(repository, entry.name), { recursive: true, encoding: 'utf8' }).map((file) => join(entry.name, file))
      : [entry.name],
  )
  return pages.filter((file) => file.endsWith('.md') && !/(^|\/)(node_modules|dist)\//.test(file)).toSorted()
}

function isBroken(repository: string, page: string, link: string): boolean {
  const path = link.split('#')[0] ?? ''
  // Links of guides from / on are of the site: packages/reference/pages.test.ts follows them.
  const isExternal = /^([a-z]+:|\/)/.test(link)
  return path !== '' && !isExternal && !existsSync(join(repository, dirname(page), path))
}

const readPage = (repository: string, page: string): string => readFileSync(join(repository, page), 'utf8')

const withoutCodeBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '')
