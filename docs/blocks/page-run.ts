/** Runs the blocks of one page on one stack, in one shell of a clone. */
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Clone } from './clone.ts'
import { type Block, commandsOf } from './read-blocks.ts'
import type { Task } from './task.ts'
import type { Stack, Verdict } from './verdicts.ts'

export type PageSettings = {
  /** The page's stand-ins for things of the reader's own, and their values here. */
  readonly fills: readonly (readonly [RegExp, string])[]
  /** Values of `<placeholders>` that no command of the page prints. */
  readonly values?: Readonly<Record<string, string>>
  /** Commands that were run already. */
  readonly done?: readonly string[]
  /** Commands that the reader has run before. */
  readonly before?: readonly string[]
  /** The reader's own steps before a block. */
  readonly between?: (block: Block) => Promise<void>
  /** Commands that show what the page promises. */
  readonly after?: readonly (readonly [string, RegExp])[]
}

/** Commands that go on until Ctrl-C, and what they print when they are ready. */
const LASTING: readonly (readonly [RegExp, RegExp])[] = [
  [/\bnpm start\b/, /Tandem is running/],
  [/\btandem devnet\b/, /Local chains and databases are running/],
  [/\btandem solver --config\b/, /solver is running/],
  [/\btandem start\b/, /(service|engine|API) is running/],
  [/\bsolver\.py\b/, /^listening on port/m],
  [/\bhook\.ts\b/, /^listening$/m],
]

export type Running = Map<string, Task>

export async function runPage(
  clone: Clone,
  stack: Stack,
  blocks: readonly { readonly block: Block; readonly verdict: Verdict }[],
  running: Running,
  settings: PageSettings,
): Promise<void> {
  const terminal = clone.openTerminal()
  const printed: string[] = []

  const perform = async (command: string): Promise<string> => {
    const filled = fill(command, settings, printed)
    const plain = withoutComment(filled)
    if (settings.done?.includes(plain)) return ''
    const lasting = LASTING.find(([pattern]) => pattern.test(plain))
    if (lasting === undefined) return terminal.run(filled)
    const name = nameOf(plain)
    if (!running.has(name)) running.set(name, await clone.start(plain, lasting[1]))
    return ''
  }

  try {
    for (const command of settings.before ?? []) printed.push(await perform(command))
    for (const { block, verdict } of blocks) {
      if (!('stack' in verdict) || verdict.stack !== stack) continue
      await settings.between?.(block)
      if (verdict.kind === 'saved') {
        await appendFile(join(clone.folder, verdict.file), `${block.text}\n`)
      } else if (verdict.kind === 'fragment') {
        const program = await writeProgram(clone, { ...block, text: replaced(block.text, settings.fills) }, verdict.module, verdict.names)
        await clone.runProgram(program)
      } else {
        const outputs: string[] = []
        for (const command of commandsOf(block.text)) {
          outputs.push(await perform(command))
          printed.push(outputs.at(-1) ?? '')
        }
        expect(outputs.join('\n'), `${block.page}:${block.line}`).toMatch(verdict.prints)
      }
    }
    for (const [command, prints] of settings.after ?? []) expect(await perform(command), command).toMatch(prints)
  } finally {
    await terminal.close()
  }
}

const withoutComment = (command: string): string => command.replace(/\s+#[^'"]*$/, '')

/** `npm ci && npm start` and `npm start` are the same stack. */
const nameOf = (command: string): string =>
  command
    .replace(/^.*&& /, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

async function writeProgram(clone: Clone, { page, line, text }: Block, module: string, names: readonly string[]): Promise<string> {
  const file = join(clone.folder, `${page.replaceAll(/\W/g, '-')}-${line}.ts`)
  // Imports run first, wherever they are in the file.
  const program = `import { prepare } from './docs/blocks/fragments/${module}.ts'
const { done, ${names.join(', ')} } = await prepare()
${text}
await done()
`
  await writeFile(file, program)
  return file
}

function fill(command: string, { fills, values = {} }: PageSettings, printed: readonly string[]): string {
  return replaced(command, fills).replaceAll(/<([a-z][\w.]*)( of [^>]*)?>/g, (placeholder, path: string) => {
    const value = values[path] ?? lookUp(path, printed)
    if (value === undefined) throw new Error(`${placeholder} is nowhere in what was printed before ${command}`)
    return value
  })
}

const replaced = (text: string, fills: PageSettings['fills']): string =>
  fills.reduce((before, [pattern, value]) => before.replaceAll(pattern, () => value), text)

/** Finds the value in the newest answer that has it. */
function lookUp(path: string, printed: readonly string[]): string | undefined {
  const found = printed.toReversed().map((text) => (FORMS[path] === undefined ? fieldOf(path, text) : FORMS[path].exec(text)?.[0]))
  return found.find((value) => value !== undefined)
}

/** The form of values that commands print as plain text. */
const FORMS: Readonly<Record<string, RegExp>> = { secret: /whsec_\S+/, id: /wh_[0-9a-f]+/ }

function fieldOf(path: string, text: string): string | undefined {
  if (!text.trim().startsWith('{')) return undefined
  const { result } = JSON.parse(text) as { readonly result: unknown }
  const first: unknown = Array.isArray(result) ? result[0] : result
  const value = path.split('.').reduce<unknown>((part, key) => (part as Readonly<Record<string, unknown>> | undefined)?.[key], first)
  return typeof value === 'string' ? value : undefined
}
