/** Writes a page as Markdown, for people who read it in a terminal and for language models. */
import type { Block, Field, Page } from './blocks.ts'
import type { Book } from './book.ts'
import { ORIGIN } from './placeholders.ts'

export function markdownOf({ title, blocks }: Pick<Page, 'title' | 'blocks'>): string {
  return `# ${title}\n\n${writeAll(blocks)}\n`
}

function writeAll(blocks: readonly Block[]): string {
  return blocks
    .map(write)
    .filter((text) => text !== '')
    .join('\n\n')
}

function write(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`
    case 'paragraph':
      return block.text
    case 'list':
      return block.items.map((item, index) => `${block.isOrdered ? `${index + 1}.` : '-'} ${item}`).join('\n')
    case 'table':
      return writeTable(block.head, block.rows)
    case 'code':
      return fence(block.language, block.text)
    case 'samples':
      return block.samples.map(({ language, title, text }) => `${title}:\n\n${fence(language, text)}`).join('\n\n')
    case 'fields':
      return `**${block.title}**\n\n${writeFields(block.fields, '')}`
    case 'endpoint':
      return `\`${block.method} ${block.path}\``
    case 'try':
      return ''
    case 'picture':
      return block.text
    case 'folded':
      return `### ${block.title}\n\n${writeAll(block.blocks)}`
  }
}

function writeFields(fields: readonly Field[], indent: string): string {
  return fields
    .map(({ name, type, isRequired, text, inner }) => {
      const line = `${indent}- \`${name}\` (${type}${isRequired ? '' : ', optional'})${text === '' ? '' : `: ${text}`}`
      return inner.length === 0 ? line : `${line}\n${writeFields(inner, `${indent}  `)}`
    })
    .join('\n')
}

function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** /llms.txt (llmstxt.org): the list of pages for language models. */
export function llmsList({ title, summary, groups }: Book): string {
  const lists = groups.map(({ title: name, pages }) => {
    const links = pages.map((page) => `- [${page.title}](${ORIGIN}${markdownPath(page.path)}): ${page.summary}`)
    return `## ${name}\n\n${links.join('\n')}`
  })
  const more = `## Optional\n\n- [OpenAPI document](${ORIGIN}/openapi.json)\n- [All pages in one](${ORIGIN}/llms-full.txt)`
  return `# ${title}\n\n> ${summary}\n\n${[...lists, more].join('\n\n')}\n`
}

/** /llms-full.txt: all pages in one file. */
export function llmsFull({ title, summary, pages }: Book): string {
  return `# ${title}\n\n> ${summary}\n\n${pages.map(markdownOf).join('\n')}`
}

export const markdownPath = (path: string): string => (path === '/docs' ? '/docs/index.md' : `${path}.md`)
