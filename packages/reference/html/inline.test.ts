/** Tests that Markdown becomes safe HTML. */
import { expect, test } from 'vitest'
import type { Block } from '../blocks.ts'
import { highlight } from './highlight.ts'
import { inlineHtml, plainText } from './inline.ts'
import { blocksHtml } from './write-blocks.ts'

test('code, bold and links become markup; everything else is text', () => {
  expect(inlineHtml('**a** `b<c` [d](/e) <f>')).toBe('<strong>a</strong> <code>b&lt;c</code> <a href="/e">d</a> &lt;f&gt;')
  expect(inlineHtml('[`x`](/y#z)')).toBe('<a href="/y#z"><code>x</code></a>')
  expect(plainText('**a** `b` [`c`](/d)')).toBe('a b c')
})

test('a link runs no script and ends no attribute', () => {
  for (const text of ['[a](javascript:alert(1))', '[a](JaVaScRiPt:x)', '[a](data:text/html,x)', '[a](//evil.example")'])
    expect(inlineHtml(text)).not.toMatch(/href="(javascript|data)|""/i)
})

test('hostile texts stay texts in every kind of block', () => {
  const evil = '<script>alert(1)</script>"\'&'
  const field = { name: evil, type: evil, isRequired: false, text: evil, inner: [] }
  const form = { operationId: evil, method: 'GET', path: evil, needsAppId: true, body: evil }
  const input = { name: evil, place: 'query' as const, isRequired: true, text: evil, value: evil }
  const blocks: readonly Block[] = [
    { kind: 'heading', level: 2, text: evil },
    { kind: 'paragraph', text: evil },
    { kind: 'list', isOrdered: true, items: [evil] },
    { kind: 'table', head: [evil], rows: [[evil]] },
    { kind: 'code', language: 'ts', text: evil },
    { kind: 'samples', name: evil, samples: [{ language: 'sh', title: 'curl', text: evil }] },
    { kind: 'fields', title: evil, fields: [{ ...field, inner: [field] }] },
    { kind: 'endpoint', method: 'GET', path: evil },
    {
      kind: 'try',
      form: {
        ...form,
        inputs: [
          { ...input, choices: [] },
          { ...input, name: 'b', choices: [evil] },
        ],
      },
    },
    { kind: 'folded', title: evil, blocks: [{ kind: 'paragraph', text: evil }] },
  ]
  for (const block of blocks) expect(blocksHtml([block]), block.kind).not.toMatch(/<script|alert\(1\)<\/script>"/)
})

test('colours change no character of the code', () => {
  const code = `const a = 'it\\'s' // "comment"\nfetch("http://x") # no <b>`
  for (const language of ['ts', 'python', 'sh', 'console', 'json', 'other'])
    expect(highlight(code, language).replaceAll(/<\/?span[^>]*>/g, '')).toBe(
      code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    )
})
