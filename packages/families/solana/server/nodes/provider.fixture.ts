/** Simulated providers in front of one local chain. Tests make them die, fall behind or lie. */
import { randomBytes } from 'node:crypto'
import { type Address, getBase58Decoder, type Instruction } from '@solana/kit'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { startTestProviders, type TestProviders } from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { orderAddress, vaultAddress } from '../../contract/client/addresses.ts'
import { solOrderCodec, tokenOrderCodec } from '../../contract/client/codecs.ts'
import { initiateSol, initiateToken, redeemSol } from '../../contract/client/instructions.ts'
import { createLocalSigner, signTransaction } from '../../local/local-signer.ts'
import { createMethods } from '../../local/rpc/methods.ts'
import { blockNotAvailable } from '../../local/rpc/rpc-error.ts'
import { startRpcServer } from '../../local/rpc/rpc-server.ts'
import type { SolanaChain } from '../../local/solana-chain.ts'
import { type HtlcContract, orderTermsOf } from '../../terms/htlc.ts'

type Ask = (method: string, params: readonly unknown[]) => unknown
/** Answers a request; `ask` forwards one to the chain. */
export type Behaviour = (method: string, params: readonly unknown[], ask: Ask) => unknown

export interface TestProvider {
  readonly url: string
  /** The methods of all requests. */
  readonly asked: string[]
  behave(behaviour: Behaviour): void
  setOffline(offline: boolean): void
  /** Delays every answer. */
  setDelay(delayMs: number): void
  close(): Promise<void>
}

export const honest: Behaviour = (method, params, ask) => ask(method, params)

export async function startTestProvider(chain: SolanaChain): Promise<TestProvider> {
  const methods = createMethods(chain.node, (address, lamports) => chain.airdrop(address, BigInt(lamports)))
  const ask: Ask = (method, params) => methods.get(method)?.(params)
  const asked: string[] = []
  let behaviour = honest
  const answer: Ask = (method, params) => {
    asked.push(method)
    return behaviour(method, params, ask)
  }
  const server = await startRpcServer({ http: answer, socket: (_, ...call) => answer(...call), disconnected: () => undefined }, 0)
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    behave(next) {
      behaviour = next
    },
    setOffline: server.setOffline,
    setDelay: server.setDelay,
    close: server.close,
  }
}

/** Changes the answers of these methods; all others are honest. */
export function lyingAbout(lies: Readonly<Record<string, (params: readonly unknown[], truth: unknown, ask: Ask) => unknown>>): Behaviour {
  return (method, params, ask) => {
    const truth = ask(method, params)
    const lie = lies[method]
    return lie === undefined ? truth : lie(params, truth, ask)
  }
}

type Slotted = { readonly slot: number }
type Listed = Slotted & { readonly signature: string }

/** Has no block after this one. Its accounts are as of the newest block of the chain: a node knows only the newest state. */
export function stoppedAt({ height, ordinal = 0n }: Block): Behaviour {
  const isNew = (slot: unknown) => Number(slot) > Number(height)
  return (method, params, ask) => {
    if (method === 'getBlock' && isNew(params[0])) throw blockNotAvailable(Number(params[0]))
    const truth = ask(method, params)
    switch (method) {
      case 'getSlot':
        return isNew(truth) ? Number(height) : truth
      case 'getBlockHeight':
        return Number(truth) > Number(ordinal) ? Number(ordinal) : truth
      case 'getSignaturesForAddress':
        return (truth as Listed[]).filter(({ slot }) => !isNew(slot))
      case 'getTransaction':
        return truth !== null && isNew((truth as Slotted).slot) ? null : truth
      case 'getSignatureStatuses': {
        const { context, value } = truth as { context: unknown; value: (Slotted | null)[] }
        return { context, value: value.map((status) => (status !== null && isNew(status.slot) ? null : status)) }
      }
      default:
        return truth
    }
  }
}

/** Another block in place of the one with this hash. */
function forgedBlock(hash: string): Behaviour {
  const blockhash = randomAddress()
  return lyingAbout({
    getBlock: (_, truth) => ((truth as { blockhash: string }).blockhash === hash ? { ...(truth as object), blockhash } : truth),
  })
}

/** Invents a transaction with this instruction in a real block: in the list of the program, by its signature, and its outcome. */
export function forgedTransaction(instruction: Instruction, slot: bigint): Behaviour {
  const { wire, json } = forge(instruction, slot)
  const listed = { signature: wire.signature, slot: Number(slot), err: null, memo: null, blockTime: 0, confirmationStatus: 'confirmed' }
  return lyingAbout({
    getSignaturesForAddress([address, options], truth, ask) {
      if (address !== instruction.programAddress) return truth
      const { before, limit } = options as { before?: string; limit: number }
      const all = ask('getSignaturesForAddress', [address, { commitment: 'confirmed' }]) as Listed[]
      const forged = [...all, listed].sort((a, b) => b.slot - a.slot)
      const start = before === undefined ? 0 : forged.findIndex(({ signature }) => signature === before) + 1
      return forged.slice(start, start + limit)
    },
    getTransaction: ([signature], truth) => (signature === wire.signature ? json : truth),
    getSignatureStatuses: ([signatures], truth) =>
      (signatures as string[]).includes(wire.signature)
        ? { context: { slot: Number(slot) }, value: [{ slot: Number(slot), err: null, confirmationStatus: 'confirmed' }] }
        : truth,
  })
}

function forge(instruction: Instruction, slot: bigint) {
  const wire = signTransaction([instruction], [createLocalSigner(randomBytes(32))], { blockhash: randomAddress(), lastValidBlockHeight: 0 })
  const meta = { err: null, innerInstructions: [], loadedAddresses: { readonly: [], writable: [] } }
  return { wire, json: { slot: Number(slot), transaction: [Buffer.from(wire.bytes).toString('base64'), 'base64'], meta } }
}

/** A swap that nobody initiated: the transaction, and the account of its order. */
export function forgedInitiation(contract: HtlcContract, terms: HtlcTerms, newest: Block): Behaviour {
  const transaction = forgedTransaction(initiation(contract, terms, randomAddress()), newest.height)
  const state = shownHtlc(contract, terms, newest, 'open')
  return (method, params, ask) => (method === 'getMultipleAccounts' ? state : transaction)(method, params, ask)
}

/** The account of the order. */
function shownHtlc(contract: HtlcContract, terms: HtlcTerms, newest: Block, as: 'open' | 'absent'): Behaviour {
  const order = orderTermsOf(contract, terms)
  const { address } = orderAddress(contract.program, order)
  const account = {
    lamports: Number(terms.amount) + 2_000_000,
    owner: contract.program,
    executable: false,
    rentEpoch: 0,
    data: [Buffer.from(openOrder(contract.program, order, newest.height)).toString('base64'), 'base64'],
  }
  const shown = as === 'open' ? account : null
  return lyingAbout({
    getMultipleAccounts([addresses], truth) {
      const { context, value } = truth as { context: unknown; value: unknown[] }
      return { context, value: value.map((one, i) => ((addresses as string[])[i] === address ? shown : one)) }
    },
  })
}

function openOrder(program: Address, order: ReturnType<typeof orderTermsOf>, initiatedSlot: bigint) {
  const shared = { ...order, status: 1, bump: 255, settledSlot: 0n, initiatedSlot, initiateBefore: 0n, secretOrHash: order.secretHash }
  const common = { ...shared, rentPayer: randomAddress() }
  return order.mint === null
    ? solOrderCodec.encode({ ...common, kind: 0 })
    : tokenOrderCodec.encode({ ...common, kind: 1, mint: order.mint, vault: vaultAddress(orderAddress(program, order).address) })
}

/** An initiation by a stranger's key. */
function initiation(contract: HtlcContract, terms: HtlcTerms, funder: Address): Instruction {
  const { mint, ...order } = orderTermsOf(contract, terms)
  const by = { funder, rentPayer: funder, initiateBefore: 4_000_000_000n }
  const instruction =
    mint === null
      ? initiateSol(contract.program, { ...order, mint }, by)
      : initiateToken(contract.program, { ...order, mint }, { ...by, funderTokens: randomAddress() })
  return unsigned(instruction)
}

/** A redeem with any secret: the program would refuse a wrong one. */
export function redemption(contract: HtlcContract, terms: HtlcTerms, secret: string): Instruction {
  const order = orderTermsOf(contract, terms)
  return redeemSol(contract.program, orderAddress(contract.program, order).address, order.redeemer, Buffer.from(secret, 'hex'))
}

/** The forger holds none of the keys that must sign, and nodes do not show who signed which instruction. */
function unsigned(instruction: Instruction): Instruction {
  return { ...instruction, accounts: (instruction.accounts ?? []).map((meta) => ({ ...meta, role: meta.role & 1 })) as never }
}

export function randomAddress(): Address {
  return getBase58Decoder().decode(randomBytes(32)) as Address
}

/** What the conformance suite needs. */
export function openTestProviders(
  chain: SolanaChain,
  connect: (urls: readonly string[], options: Parameters<TestProviders['connect']>[1]) => ChainClient,
  contractOf: (terms: HtlcTerms) => HtlcContract,
): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start: () => startTestProvider(chain),
    connect,
    honest,
    behaviourOf(how) {
      switch (how.kind) {
        case 'stops-at':
          return stoppedAt(how.newest)
        case 'forges-block':
          return forgedBlock(how.block.hash)
        case 'forges-initiation':
          return forgedInitiation(contractOf(how.terms), how.terms, how.newest)
        case 'hides-events':
          return lyingAbout({ getSignaturesForAddress: () => [] })
        case 'shows-htlc':
          return shownHtlc(contractOf(how.terms), how.terms, how.newest, how.as)
      }
    },
  })
}
