/** Tests that Markdown that is read and written stays the same. */
import { expect, test } from 'vitest'
import { readGuide } from './read-markdown.ts'
import { markdownOf } from './write-markdown.ts'

const guide = `# Title

A first paragraph.

## Part \`one\`

1. first
2. second

- a
- b

| x | y |
| --- | --- |
| a \\| b | c |

\`\`\`ts
const text = 'a'

# no heading
\`\`\`
`

test('a guide that is read and written is the same', () => {
  const read = readGuide(guide)
  expect(read).toMatchObject({ title: 'Title', summary: 'A first paragraph.' })
  expect(read.blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'heading', 'list', 'list', 'table', 'code'])
  expect(markdownOf(read)).toBe(guide)
})

test('lines of a paragraph and of an item are joined', () => {
  const { blocks } = readGuide('# T\n\nfirst\nsecond\n\n- a\n  b\n- c\n')
  expect(blocks).toEqual([
    { kind: 'paragraph', text: 'first second' },
    { kind: 'list', isOrdered: false, items: ['a b', 'c'] },
  ])
})

test('text that cannot be shown is refused', () => {
  expect(() => readGuide('no title')).toThrow('begins with "# "')
  expect(() => readGuide('# T\n\n## Part\n')).toThrow('has no first paragraph')
  expect(() => readGuide('# T\n\nx\n\n#### deep\n')).toThrow('4 marks')
  expect(() => readGuide('# T\n\nx\n\n```ts\ncode\n')).toThrow('does not end')
})
