// Renders the committed files of the program: its bytes, a module with its hashes, and an IDL for each kind of order.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compilerOptions, compilerVersion, sourceFolder } from './compile.ts'
import { programInterfaces } from './interface.ts'

export function renderArtifacts(program: Buffer): ReadonlyMap<string, Buffer> {
  const errors = readErrors()
  const files = new Map([
    ['htlc.so', program],
    ['htlc.ts', Buffer.from(renderModule(program, errors))],
  ])
  for (const [name, { about, instructions, order }] of Object.entries(programInterfaces)) {
    const idl = {
      metadata: { name, version: '1.0.0', spec: '0.1.0', description: about },
      instructions: instructions.map((instruction) => ({
        name: instruction.name,
        docs: [instruction.about],
        discriminator: [instruction.tag, 0, 0, 0, 0, 0, 0, 0],
        accounts: instruction.accounts.map(({ name, about, ...flags }) => ({ name, docs: [about], ...flags })),
        args: instruction.fields.map(idlField),
      })),
      types: [{ name: 'Order', type: { kind: 'struct', fields: order.map(idlField) } }],
      errors: errors.map(({ code, name, message }) => ({ code, name, msg: message })),
    }
    files.set(`${name}.json`, Buffer.from(`${JSON.stringify(idl, null, 2)}\n`))
  }
  return files
}

function renderModule(program: Buffer, errors: readonly ProgramError[]): string {
  return `// Generated from packages/families/solana/contract/src by \`npm run program\`.
export const htlcProgram = {
  /** SHA-256 of the program, as a cluster stores it. */
  sha256: '${createHash('sha256').update(program).digest('hex')}',
  /** SHA-256 of sources, compiler version and options. */
  sourceHash: '${sourceHash()}',
  compiler: ${JSON.stringify({ version: `clang ${compilerVersion}`, options: compilerOptions })},
  errors: [
${errors.map((error) => `    ${JSON.stringify(error)},\n`).join('')}  ],
  base64:
    '${program.toString('base64')}',
} as const
`
}

function idlField({ name, type }: { readonly name: string; readonly type: string }): object {
  const idlTypes: Readonly<Record<string, unknown>> = { bytes32: { array: ['u8', 32] }, bytes5: { array: ['u8', 5] } }
  return { name, type: idlTypes[type] ?? type }
}

interface ProgramError {
  readonly code: number
  readonly name: string
  readonly message: string
}

/** The hash changes with every source, with the compiler and its options. A committed program with another hash is stale. */
export function sourceHash(): string {
  const sources = readdirSync(sourceFolder)
    .sort()
    .map((name) => [name, readFileSync(join(sourceFolder, name), 'utf8')])
  return createHash('sha256').update(JSON.stringify({ sources, compilerVersion, compilerOptions })).digest('hex')
}

export function readErrors(): readonly ProgramError[] {
  const header = readFileSync(join(sourceFolder, 'htlc.h'), 'utf8')
  const found = [...header.matchAll(/X\((\d+), (\w+), "([^"]+)"\)/g)]
  return found.map(([, code, name = '', message = '']) => ({ code: Number(code), name, message }))
}
