/** The SDK, as docs/sdk.md tells it. */
import { readFileSync } from 'node:fs'
import type { Page } from './blocks.ts'
import { readGuide } from './read-markdown.ts'

const FILE = new URL('../../../docs/sdk.md', import.meta.url)

/** Other files of the repository are not served: a link to one is its text. */
const withoutFiles = (text: string) => text.replaceAll(/\[([^\]]*)\]\((?!#|\/|https?:)[^)]*\)/g, '$1')

export function sdkPage(): Page {
  const { title, summary, blocks } = readGuide(withoutFiles(readFileSync(FILE, 'utf8')))
  return { path: '/docs/sdk', title, summary, method: null, blocks }
}
