// Re-implements outside executions (SNIP-9) in TypeScript, as OpenZeppelin's SRC9 component (version 2) and older accounts (version 1) do.
// It judges terms/outside-execution.ts, so it uses nothing of that.
import type { Calldata } from '../execution/calldata.ts'
import { panic } from '../execution/panic.ts'
import { type Felts, selectorOf, shortString } from '../felt.ts'
import { pedersen, poseidon } from '../hashes.ts'
import type { ContractEnv, EntryPoint } from './contract-class.ts'
import { makeCalls, readCalls, type SignatureCheck, type UserCall } from './user-calls.ts'

/** SNIP-9 gives these numbers. */
const V1_ID = 0x68cfd18b92d1907b8ba3cc324900277f5a3622099431ea85dd8089255e4181n
const V2_ID = 0x1d1144bb2138366ff28d8e9ab57456b1d332ac42196230c3a602003c89872n
const OUTSIDE_TYPE_V2 = 0x312b56c05a7965066ddbda31c016d8d05afc305071c0ca3cdc2192c3c2f1f0fn
const CALL_TYPE_V2 = 0x3635c7f2a7ba93844c0d064e18e487f35ab90f7c39d00f186a781fc3f0c2ca9n
const OUTSIDE_TYPE_V1 = 0x11ff76fe3f640fa6f3d60bbd94a3b9d47141a2c96f87fdcfbeb2af1d03f7050n
const CALL_TYPE_V1 = 0xf00de1fccbb286f9a020ba8821ee936b1deea42a5c485c11ccdc82c8bebb3an

const DOMAIN_TYPE_V2 = selectorOf(
  '"StarknetDomain"("name":"shortstring","version":"shortstring","chainId":"shortstring","revision":"shortstring")',
)
const DOMAIN_TYPE_V1 = selectorOf('StarkNetDomain(name:felt,version:felt,chainId:felt)')
const NAME = shortString('Account.execute_from_outside')
const PREFIX = shortString('StarkNet Message')
const ANY_CALLER = shortString('ANY_CALLER')

type Execution = {
  readonly caller: bigint
  readonly nonce: bigint
  readonly after: bigint
  readonly before: bigint
  readonly calls: readonly UserCall[]
}

function digestV2({ address, chainId }: ContractEnv, { caller, nonce, after, before, calls }: Execution): bigint {
  const domain = poseidon([DOMAIN_TYPE_V2, NAME, 2n, chainId, 1n])
  const hashed = calls.map(({ to, selector, calldata }) => poseidon([CALL_TYPE_V2, to, selector, poseidon(calldata)]))
  return poseidon([PREFIX, domain, address, poseidon([OUTSIDE_TYPE_V2, caller, nonce, after, before, poseidon(hashed)])])
}

/** Pedersen hashes of a list start at 0 and end with its length. */
const chained = (felts: Felts): bigint => pedersen(felts.reduce(pedersen, 0n), BigInt(felts.length))

function digestV1({ address, chainId }: ContractEnv, { caller, nonce, after, before, calls }: Execution): bigint {
  const domain = chained([DOMAIN_TYPE_V1, NAME, 1n, chainId])
  const hashed = calls.map(({ to, selector, calldata }) =>
    chained([CALL_TYPE_V1, to, selector, BigInt(calldata.length), chained(calldata)]),
  )
  return chained([PREFIX, domain, address, chained([OUTSIDE_TYPE_V1, caller, nonce, after, before, BigInt(calls.length), chained(hashed)])])
}

function readExecution(calldata: Calldata): { readonly execution: Execution; readonly signature: Felts } {
  const [caller, nonce, after, before] = [calldata.address(), calldata.felt(), calldata.u64(), calldata.u64()]
  const read = { execution: { caller, nonce, after, before, calls: readCalls(calldata) }, signature: calldata.felts() }
  calldata.end()
  return read
}

const nonceName = (nonce: bigint) => `outside nonce ${nonce}`

function executeBy(check: SignatureCheck, digestOf: typeof digestV2): EntryPoint {
  return (env, calldata) => {
    const { execution, signature } = readExecution(calldata)
    const { caller, nonce, after, before, calls } = execution
    const now = BigInt(env.block.timestamp)
    if (caller !== ANY_CALLER && caller !== env.caller) throw panic('SRC9: invalid caller')
    if (after >= now) throw panic('SRC9: now <= execute_after')
    if (now >= before) throw panic('SRC9: now >= execute_before')
    if (env.read(nonceName(nonce)) !== 0n) throw panic('SRC9: duplicated nonce')
    env.write(nonceName(nonce), 1n)
    if (!check(env, digestOf(env, execution), signature)) throw panic('SRC9: invalid signature')
    return makeCalls(env, calls)
  }
}

const isValidNonce: EntryPoint = (env, calldata) => {
  const nonce = calldata.felt()
  calldata.end()
  return [env.read(nonceName(nonce)) === 0n ? 1n : 0n]
}

/** What an account adds to its interfaces and entry points. */
export type Outside = { readonly interfaceId: bigint; readonly entryPoints: Readonly<Record<string, EntryPoint>> }

export function outsideV2(check: SignatureCheck): Outside {
  const entryPoints = { execute_from_outside_v2: executeBy(check, digestV2), is_valid_outside_execution_nonce: isValidNonce }
  return { interfaceId: V2_ID, entryPoints }
}

export function outsideV1(check: SignatureCheck): Outside {
  const entryPoints = { execute_from_outside: executeBy(check, digestV1), is_valid_outside_execution_nonce: isValidNonce }
  return { interfaceId: V1_ID, entryPoints }
}
