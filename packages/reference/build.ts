/** Writes the reference as files: pages as HTML and as Markdown, the search index, llms.txt, the OpenAPI document. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PageManifest } from '@tandem/service/web/page-files.ts'
import type { SearchEntry } from '@tandem/service/web/search.ts'
import type { LoadedFiles } from '@tandem/web/build.ts'
import { anchorOf, type Block, type Field, type Page } from './blocks.ts'
import { type Book, writeBook } from './book.ts'
import { nameSchemas } from './document/name-schemas.ts'
import { writeApiDocument } from './document/openapi.ts'
import { plainText } from './html/inline.ts'
import { missingHtml, pageHtml, searchHtml } from './html/page.ts'
import { PLACEHOLDER } from './placeholders.ts'
import { llmsFull, llmsList, markdownOf, markdownPath } from './write-markdown.ts'

/** `loaded` names what every page loads. The result says which file belongs to which path, and which placeholders it has. */
export async function buildReference(folder: string, loaded: LoadedFiles): Promise<PageManifest['reference']> {
  const document = await writeApiDocument()
  const book = writeBook(document)
  const files: readonly (readonly [path: string, file: string, text: string])[] = [
    ...book.pages.flatMap((page) => [
      [page.path, `${markdownPath(page.path).slice(1, -'.md'.length)}.html`, pageHtml(book, page, loaded)] as const,
      [markdownPath(page.path), markdownPath(page.path).slice(1), markdownOf(page)] as const,
    ]),
    ['search', 'docs/search.html', searchHtml(book, loaded)],
    ['missing', 'docs/missing.html', missingHtml(book, loaded)],
    ...Object.entries({
      '/docs/search.json': JSON.stringify(searchIndex(book)),
      '/llms.txt': llmsList(book),
      '/llms-full.txt': llmsFull(book),
      '/openapi.json': JSON.stringify(nameSchemas(document)),
    }).map(([path, text]) => [path, path.slice(1), text] as const),
  ]
  const written = files.map(async ([path, file, text]) => {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
    return [path, { file, placeholders: [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))] }] as const
  })
  return Object.fromEntries(await Promise.all(written))
}

const firstText = (block: Block | undefined): string => (block?.kind === 'paragraph' ? block.text : '')

/** The entries of the search: pages, their parts, and the fields of endpoints. */
function searchIndex({ groups }: Book): readonly SearchEntry[] {
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

function fieldsIn(block: Block): readonly Field[] {
  const all = (fields: readonly Field[]): readonly Field[] => fields.flatMap((field) => [field, ...all(field.inner)])
  return block.kind === 'fields' ? all(block.fields) : []
}
