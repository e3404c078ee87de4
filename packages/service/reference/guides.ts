/** The guides: Markdown files of docs/guides, in the order in which a newcomer reads them. */
import { readFileSync } from 'node:fs'
import type { Page } from './blocks.ts'
import { readGuide } from './read-markdown.ts'

export const guideNames = ['first-swap', 'gasless', 'client-held-secret', 'webhooks', 'run-a-solver', 'run-your-own'] as const

const FOLDER = new URL('../../../docs/guides/', import.meta.url)

export function readGuides(): readonly Page[] {
  return guideNames.map((name) => {
    const { title, summary, blocks } = readGuide(readFileSync(new URL(`${name}.md`, FOLDER), 'utf8'))
    return { path: `/docs/guides/${name}`, title, summary, method: null, blocks }
  })
}
