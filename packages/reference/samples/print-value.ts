/** Prints JSON values as literals of a programming language. */

export type LiteralStyle = {
  text(value: string): string
  key(name: string): string
  readonly words: { readonly true: string; readonly false: string; readonly null: string }
  /** The space inside the braces of an object on one line. */
  readonly padding: string
}

const MAX_LINE_LENGTH = 72

export const typescriptStyle: LiteralStyle = {
  text: (value) => `'${escaped(value, "'")}'`,
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`),
  words: { true: 'true', false: 'false', null: 'null' },
  padding: ' ',
}

export const pythonStyle: LiteralStyle = {
  text: (value) => `"${escaped(value, '"')}"`,
  key: (name) => `"${escaped(name, '"')}"`,
  words: { true: 'True', false: 'False', null: 'None' },
  padding: '',
}

function escaped(value: string, quote: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\n', '\\n')
}

export function printValue(value: unknown, style: LiteralStyle, indent = ''): string {
  const [open, close, padding] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', style.padding]
  const inner = `${indent}  `
  const items = itemsOf(value, style, inner)
  if (items === null) return printSimple(value, style)
  if (items.length === 0) return `${open}${close}`
  const line = `${open}${padding}${items.join(', ')}${padding}${close}`
  if (line.length + indent.length <= MAX_LINE_LENGTH && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}

/** The result is null if the value has no items. */
function itemsOf(value: unknown, style: LiteralStyle, indent: string): readonly string[] | null {
  if (Array.isArray(value)) return value.map((item) => printValue(item, style, indent))
  if (typeof value !== 'object' || value === null) return null
  return Object.entries(value).map(([name, item]) => `${style.key(name)}: ${printValue(item, style, indent)}`)
}

function printSimple(value: unknown, { text, words }: LiteralStyle): string {
  if (typeof value === 'string') return text(value)
  if (value === null) return words.null
  if (typeof value === 'boolean') return value ? words.true : words.false
  return String(value)
}
