// Compiles the Solidity sources under settings that give the same bytecode on every machine.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import solc from './solc.ts'

const tokenHtlc = ['Htlc.sol', 'HtlcToken.sol', 'IHtlc.sol', 'Signatures.sol', 'Transfers.sol'] as const

/** Each folder is compiled in a separate run: compiler-internal ids can leak into the code, so a changed test contract must not change our bytecode. */
const groups: readonly Group[] = [
  { folder: '', imports: [] },
  { folder: 'distributor/', imports: ['Signatures.sol', 'Transfers.sol'] },
  // The blocks that HyperEVM makes every second are small, and a deployment should fit into one.
  { folder: 'hypercore/', imports: [...tokenHtlc, 'BriefAccounts.sol'], runs: 200 },
  { folder: 'hypercore/simulator/', imports: [] },
  { folder: 'test/', imports: [] },
  // Tron's networks vote on each later EVM instruction separately, so the code uses none of them.
  {
    folder: 'tron/',
    imports: [...tokenHtlc, 'BriefAccounts.sol', 'DepositAccount.sol', 'Deposits.sol', 'GasWithPayout.sol'],
    evmVersion: 'paris',
  },
]

interface Group {
  readonly folder: string
  readonly imports: readonly string[]
  readonly evmVersion?: string
  /** The optimizer expects the code to run this often: fewer runs make the code smaller. */
  readonly runs?: number
}

/** SELFDESTRUCT in the creating transaction removes the contract (EIP-6780), and these rely on it. The compiler warns of its other uses. */
const SELF_DESTRUCTION = { errorCode: '5159', of: ['DepositAccount.sol', 'hypercore/CoreAccount.sol'] }

const defaultSettings = {
  optimizer: { enabled: true, runs: 1_000_000 },
  viaIR: true,
  evmVersion: 'cancun',
  // The metadata trailer would tie the bytecode to comments and file paths.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const

const codeOutput = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.deployedBytecode.immutableReferences']

interface CodeRange {
  readonly start: number
  readonly length: number
}

interface CompilerMessage {
  readonly errorCode: string
  readonly formattedMessage: string
  readonly sourceLocation?: { readonly file: string }
}

interface CompilerOutput {
  readonly errors?: readonly CompilerMessage[]
  readonly contracts?: Record<string, Record<string, CompiledContract>>
  readonly sources?: Record<string, { readonly ast: unknown }>
}

interface CompiledContract {
  readonly abi: readonly { readonly type: string }[]
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: { readonly object: string; readonly immutableReferences?: Record<string, readonly CodeRange[]> }
  }
}

export interface Artifact {
  readonly contractName: string
  readonly sourceName: string
  /** The hash is SHA-256 over the names and texts of all sources of the compiler run. */
  readonly sourceHash: string
  readonly compiler: { readonly version: string; readonly settings: object }
  readonly abi: readonly object[]
  readonly bytecode: `0x${string}`
  readonly deployedBytecode: `0x${string}`
  /** The constructor fills in these ranges of the deployed bytecode, ascending, by the name of the variable. */
  readonly immutableReferences: Readonly<Record<string, readonly CodeRange[]>>
}

export function compileContracts(): Artifact[] {
  return groups.flatMap(compileGroup)
}

function readSources(group: string): [name: string, content: string][] {
  const folder = join(import.meta.dirname, 'src', group)
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sol'))
    .sort()
    .map((file) => readSource(`${group}${file}`))
}

function readSource(name: string): [name: string, content: string] {
  return [name, readFileSync(join(import.meta.dirname, 'src', name), 'utf8')]
}

/** Only the folder's own sources become artefacts. */
function compileGroup({
  folder,
  imports,
  evmVersion = defaultSettings.evmVersion,
  runs = defaultSettings.optimizer.runs,
}: Group): Artifact[] {
  const own = readSources(folder)
  const sources = [...own, ...imports.map(readSource)]
  const settings = { ...defaultSettings, evmVersion, optimizer: { ...defaultSettings.optimizer, runs } }
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources.map(([name, content]) => [name, { content }])),
    settings: {
      ...settings,
      outputSelection: { '*': { '': ['ast'] }, ...Object.fromEntries(own.map(([name]) => [name, { '*': codeOutput }])) },
    },
  }
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)))
  const errors = (output.errors ?? []).filter(
    ({ errorCode, sourceLocation }) =>
      errorCode !== SELF_DESTRUCTION.errorCode || !SELF_DESTRUCTION.of.includes(sourceLocation?.file ?? ''),
  )
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  const sourceHash = createHash('sha256').update(JSON.stringify(sources)).digest('hex')
  const compiler = { version: String(solc.version()), settings }
  const names = immutableNames(Object.values(output.sources ?? {}).map(({ ast }) => ast))
  return own.flatMap(([sourceName]) =>
    Object.entries(output.contracts?.[sourceName] ?? {})
      .filter(([, contract]) => isDeployable(contract))
      .map(([contractName, { abi, evm }]) => ({
        contractName,
        sourceName,
        sourceHash,
        compiler,
        abi,
        bytecode: `0x${evm.bytecode.object}` as const,
        deployedBytecode: `0x${evm.deployedBytecode.object}` as const,
        immutableReferences: byName(evm.deployedBytecode.immutableReferences ?? {}, names),
      })),
  )
}

/** The compiler uses ids in place of the names of immutable variables, and they change with any line of any source. */
function immutableNames(ast: unknown): Map<string, string> {
  const names = new Map<string, string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('mutability' in node && node.mutability === 'immutable' && 'id' in node && 'name' in node)
      names.set(String(node.id), String(node.name))
    for (const child of Object.values(node)) visit(child)
  }
  visit(ast)
  return names
}

function byName(references: Record<string, readonly CodeRange[]>, names: ReadonlyMap<string, string>): Artifact['immutableReferences'] {
  const named = Object.entries(references).map(([id, ranges]): [string, readonly CodeRange[]] => {
    const name = names.get(id)
    if (name === undefined) throw new Error(`the compiler names no immutable variable with the id ${id}`)
    return [name, ranges.map(({ start, length }) => ({ start, length })).sort((a, b) => a.start - b.start)]
  })
  const result = Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)))
  if (Object.keys(result).length !== named.length) throw new Error('two immutable variables of one contract have the same name')
  return result
}

/** Abstract contracts have no bytecode; libraries of internal functions have some, but nothing that can be called. */
function isDeployable({ abi, evm }: CompiledContract): boolean {
  return evm.bytecode.object !== '' && abi.some((item) => item.type !== 'error')
}
