/** /llms.txt (llmstxt.org): the list of pages for language models; /llms-full.txt: all of them. */
import type { Book } from './book.ts'
import { markdownOf } from './write-markdown.ts'

export function llmsList({ title, summary, groups }: Book, origin: string): string {
  const lists = groups.map(({ title: name, pages }) => {
    const links = pages.map((page) => `- [${page.title}](${origin}${markdownPath(page.path)}): ${page.summary}`)
    return `## ${name}\n\n${links.join('\n')}`
  })
  const more = `## Optional\n\n- [OpenAPI document](${origin}/openapi.json)\n- [All pages in one](${origin}/llms-full.txt)`
  return `# ${title}\n\n> ${summary}\n\n${[...lists, more].join('\n\n')}\n`
}

export function llmsFull({ title, summary, pages }: Book): string {
  return `# ${title}\n\n> ${summary}\n\n${pages.map(markdownOf).join('\n')}`
}

export const markdownPath = (path: string): string => (path === '/docs' ? '/docs/index.md' : `${path}.md`)
