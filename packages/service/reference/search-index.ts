/** What can be found: pages, their parts, and the fields of endpoints. */
import { anchorOf, type Block, type Field, type Page } from './blocks.ts'
import type { Book } from './book.ts'
import { plainText } from './html/inline.ts'
import type { SearchEntry } from './search.ts'

export function searchIndex({ groups }: Book): readonly SearchEntry[] {
  return groups.flatMap((group) => group.pages.flatMap((page) => entriesOf(page, group.title)))
}

function entriesOf(page: Page, group: string): readonly SearchEntry[] {
  const { title, path, summary, blocks } = page
  const fields = new Map(blocks.flatMap(fieldsIn).map((field) => [field.name, field]))
  return [
    { title, path, text: `${group} · ${plainText(summary)}`, rank: 0 },
    ...blocks.flatMap((block, index) =>
      block.kind === 'heading'
        ? [
            {
              title: plainText(block.text),
              path: `${path}#${anchorOf(block.text)}`,
              text: `${title} · ${plainText(firstText(blocks[index + 1]))}`,
              rank: 1,
            },
          ]
        : [],
    ),
    ...[...fields.values()].map(({ name, text }) => ({
      title: name,
      path: `${path}#fields`,
      text: `${title} · ${plainText(text)}`,
      rank: 2,
    })),
  ]
}

const firstText = (block: Block | undefined): string => (block?.kind === 'paragraph' ? block.text : '')

function fieldsIn(block: Block): readonly Field[] {
  const all = (fields: readonly Field[]): readonly Field[] => fields.flatMap((field) => [field, ...all(field.inner)])
  return block.kind === 'fields' ? all(block.fields) : []
}
