// Compiles mutants of the contracts, and plays a scenario against each. The optimiser is off: it takes long and changes no behaviour.
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Hex } from 'viem'
import solc from '../solc.ts'
import type { Mutant, MutantKind } from './mutants.ts'

const shared = ['Signatures.sol', 'Transfers.sol'] as const
const htlc = ['Htlc.sol', 'IHtlc.sol', ...shared] as const
const deposits = ['BriefAccounts.sol', 'DepositAccount.sol', 'Deposits.sol', 'TransientDeposits.sol'] as const

const contracts: Readonly<
  Record<MutantKind, { readonly name: string; readonly file: Mutant['file']; readonly imports: readonly string[] }>
> = {
  'ERC-20': { name: 'HtlcErc20', file: 'HtlcErc20.sol', imports: ['HtlcToken.sol', 'GasWithPayout.sol', ...deposits, ...htlc] },
  native: { name: 'HtlcNative', file: 'HtlcNative.sol', imports: [...deposits, ...htlc] },
  'TRC-20': {
    name: 'HtlcTrc20',
    file: 'tron/HtlcTrc20.sol',
    imports: [
      'HtlcToken.sol',
      'GasWithPayout.sol',
      'BriefAccounts.sol',
      'DepositAccount.sol',
      'Deposits.sol',
      'tron/StoredDeposits.sol',
      ...htlc,
    ],
  },
  HyperCore: {
    name: 'HtlcCore',
    file: 'hypercore/HtlcCore.sol',
    imports: ['hypercore/CoreAccount.sol', 'hypercore/HyperCore.sol', 'BriefAccounts.sol', 'HtlcToken.sol', ...htlc],
  },
  distributor: { name: 'Distributor', file: 'distributor/Distributor.sol', imports: shared },
}

const quickSettings = {
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  optimizer: { enabled: false, details: { peephole: false, inliner: false, jumpdestRemover: false, orderLiterals: false, yul: false } },
} as const

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >
}

/** The folder of the unbroken sources, beside one folder for each mutant. */
const SHARED = 'shared'

/** The compiler runs out of memory with too many at once. */
const AT_ONCE = 40

/** Survivors are mutants that the scenario does not catch. The unbroken contract must pass it before and after them. `file` is what the mutant breaks. */
export async function findSurvivors(
  kind: MutantKind,
  mutants: readonly Mutant[],
  play: (bytecode: Hex, file: Mutant['file'] | null) => Promise<void>,
): Promise<readonly string[]> {
  const [original = '0x', ...variants] = compileMutants(kind, [null, ...mutants])
  const survivors: string[] = []
  await play(original, null)
  for (const [index, bytecode] of variants.entries()) {
    const isCaught = await play(bytecode, mutants[index]?.file ?? null).then(
      () => false,
      () => true,
    )
    if (!isCaught) survivors.push(mutants[index]?.name ?? '')
  }
  // A mutant could have been caught only because of the state that another left behind.
  await play(original, null)
  return survivors
}

export function compileMutants(kind: MutantKind, mutants: readonly (Mutant | null)[]): readonly Hex[] {
  const starts = Array.from({ length: Math.ceil(mutants.length / AT_ONCE) }, (_, index) => index * AT_ONCE)
  return starts.flatMap((start) => compileTogether(kind, mutants.slice(start, start + AT_ONCE)))
}

function compileTogether(kind: MutantKind, mutants: readonly (Mutant | null)[]): readonly Hex[] {
  const { name, file, imports } = contracts[kind]
  const files = [file, ...imports]
  const sources = Object.fromEntries([
    ...files.map((source) => [`${SHARED}/${source}`, { content: readSource(source) }]),
    ...mutants.flatMap((mutant, index) => ownSources(files, mutant).map(([source, content]) => [`${index}/${source}`, { content }])),
  ])
  const settings = { ...quickSettings, outputSelection: { '*': { [name]: ['evm.bytecode.object'] } } }
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  return mutants.map((mutant, index) => {
    const folder = mutant === null ? SHARED : index
    return `0x${output.contracts?.[`${folder}/${file}`]?.[name]?.evm.bytecode.object ?? ''}` as const
  })
}

/** A mutant has copies of the file that it changes and of those that import it. All other files are parsed once for all mutants. */
function ownSources(files: readonly string[], mutant: Mutant | null): readonly (readonly [string, string])[] {
  if (mutant === null) return []
  const own = new Set<string>([mutant.file])
  for (let before = 0; before < own.size; ) {
    before = own.size
    for (const source of files) if (importsOf(source).some((imported) => own.has(imported))) own.add(source)
  }
  return [...own].map((source) => [source, importingShared(source, mutated(source, mutant), own)])
}

const IMPORT = /(import \{[^}]*\} from )"([^"]+)"/g
const importedPath = (source: string, path: string): string => posix.join(posix.dirname(source), path)

function importsOf(source: string): readonly string[] {
  return [...readSource(source).matchAll(IMPORT)].map(([, , path = '']) => importedPath(source, path))
}

function importingShared(source: string, content: string, own: ReadonlySet<string>): string {
  return content.replaceAll(IMPORT, (statement, start: string, path: string) => {
    const imported = importedPath(source, path)
    return own.has(imported) ? statement : `${start}"${SHARED}/${imported}"`
  })
}

function mutated(source: string, mutant: Mutant): string {
  const content = readSource(source)
  if (mutant.file !== source) return content
  const occurrences = content.split(mutant.text).length - 1
  if (occurrences !== 1) throw new Error(`${mutant.name}: ${source} has its text ${occurrences} times`)
  return content.replace(mutant.text, () => mutant.replacement)
}

const readSource = (source: string): string => readFileSync(join(import.meta.dirname, '../src', source), 'utf8')
