/** Writes a page as Markdown, for people who read it in a terminal and for language models. */
import type { Block, Field, Page } from './blocks.ts'

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
