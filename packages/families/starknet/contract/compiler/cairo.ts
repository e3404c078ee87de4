// Runs the Cairo compiler and virtual machine as WebAssembly. A call takes half a minute and blocks: use a child process.
import { readFile } from 'node:fs/promises'
import init, { compileStarknetContract, runTests } from 'wasm-cairo'
import { withOwnAllocator } from './allocator.ts'

/** wasm-cairo 0.10.2 has this version of the Cairo compiler. */
export const compilerVersion = '2.8.2'

const allowWarnings = true

export interface Cairo {
  compile(source: string): string
  /** The report of Cairo's test runner has all lines that it wrote, several times and in any order, and the result at the end. */
  test(source: string): string
}

export async function loadCairo(): Promise<Cairo> {
  const code = await readFile(new URL(import.meta.resolve('wasm-cairo/wasm-cairo_bg.wasm')))
  const { memory } = await init({ module_or_path: withOwnAllocator(code) })
  const checked = (result: string, isDone: boolean): string => {
    if (!isDone) throw new Error([result, ...readDiagnostics(memory)].join('\n'))
    return result
  }
  return {
    compile(source) {
      const result = compileStarknetContract(source, allowWarnings, true)
      return checked(result, result.startsWith('{'))
    },
    test(source) {
      const result = runTests(source, allowWarnings, '', false, false, true, 'none', false, true)
      return [...readLines(memory), checked(result, result.includes('test result: '))].join('\n')
    },
  }
}

/** The test runner, too, writes to a stream that does not exist. */
function readLines(memory: Memory): readonly string[] {
  const bytes = Buffer.from(memory.buffer)
  const found = new Set<string>()
  for (const [mark, lines] of [
    [' (gas usage est.: ', 2],
    [' - Panicked with (0x', 1],
  ] as const) {
    for (const at of placesOf(mark, bytes)) {
      found.add(
        `::${printable(bytes, at - 60, at)
          .split('::')
          .at(-1)}${printable(bytes, at, at + 2_000)
          .split('\n')
          .slice(0, lines)
          .join('\n')}`,
      )
    }
  }
  return [...found]
}

/** The memory is cut in pieces because `indexOf` takes no offset beyond 2 GiB: it would find the same place for ever. */
function* placesOf(mark: string, bytes: Buffer): Generator<number> {
  const piece = 2 ** 30
  for (let start = 0; start < bytes.length; start += piece) {
    const part = bytes.subarray(start, start + piece + mark.length - 1)
    for (let at = part.indexOf(mark); at !== -1; at = part.indexOf(mark, at + 1)) yield start + at
  }
}

/** Bytes that are not text become line breaks. */
function printable(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', Math.max(start, 0), end).replaceAll(/[^\x20-\x7e\n]/g, '\n')
}

type Memory = { readonly buffer: ArrayBuffer }

/** The compiler writes errors to a standard error stream that WebAssembly does not have; its text stays in memory. */
function readDiagnostics(memory: Memory): readonly string[] {
  const bytes = Buffer.from(memory.buffer)
  const found = new Set<string>()
  for (const at of placesOf(' --> lib.cairo:', bytes)) {
    const from = Math.max(at - 1_000, 0)
    const near = bytes.subarray(from, at + 1_000)
    const start = near.lastIndexOf(0, at - from) + 1
    const end = near.indexOf('\n\n', at - from)
    if (start > 0 && end > 0) found.add(near.toString('latin1', start, end))
  }
  return [...found]
}
