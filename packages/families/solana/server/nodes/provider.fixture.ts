/** Simulates providers in front of one local chain. Tests make them die, fall behind or lie. */
import { randomBytes } from 'node:crypto'
import { type Address, getBase58Decoder, type Instruction } from '@solana/kit'
import {
  type ConnectProviders,
  honest,
  type Behaviour as KitBehaviour,
  type TestProvider as KitTestProvider,
  lyingAbout as lying,
  startTestProvider as startProvider,
  startTestProviders,
  type TestProviders,
} from '@tandem/chain-kit/testing/providers.fixture.ts'
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

export type Behaviour = KitBehaviour<readonly unknown[]>
export type TestProvider = KitTestProvider<Behaviour>

export const lyingAbout = lying<readonly unknown[], unknown>

export function startTestProvider(chain: SolanaChain): Promise<TestProvider> {
  const methods = createMethods(chain.node, (address, lamports) => chain.airdrop(address, BigInt(lamports)))
  return startProvider((answer) => {
    const http = (method: string, params: readonly unknown[]) =>
      answer(method, params, (...request) => methods.get(request[0])?.(request[1]))
    return startRpcServer({ http, socket: (_, ...request) => http(...request), disconnected: () => undefined }, 0)
  })
}

type Slotted = { readonly slot: number }
type Listed = Slotted & { readonly signature: string }

/** The provider has no block after this one. Its accounts are the newest of the chain: a node knows only the newest state. */
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

function forgedBlock(hash: string): Behaviour {
  const blockhash = randomAddress()
  return lyingAbout({
    getBlock: (_, truth) => ((truth as { blockhash: string }).blockhash === hash ? { ...(truth as object), blockhash } : truth),
  })
}

/** The transaction is invented, in a real block. It is in the list of the program, and has a signature and an outcome. */
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

export function forgedInitiation(contract: HtlcContract, terms: HtlcTerms, newest: Block): Behaviour {
  const transaction = forgedTransaction(initiation(contract, terms, randomAddress()), newest.height)
  const state = shownHtlc(contract, terms, newest, 'open')
  return (method, params, ask) => (method === 'getMultipleAccounts' ? state : transaction)(method, params, ask)
}

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

function initiation(contract: HtlcContract, terms: HtlcTerms, funder: Address): Instruction {
  const { mint, ...order } = orderTermsOf(contract, terms)
  const by = { funder, rentPayer: funder, initiateBefore: 4_000_000_000n }
  const instruction =
    mint === null
      ? initiateSol(contract.program, { ...order, mint }, by)
      : initiateToken(contract.program, { ...order, mint }, { ...by, funderTokens: randomAddress() })
  return unsigned(instruction)
}

/** The secret may be any: the program would refuse a wrong one. */
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

export function openTestProviders(
  chain: SolanaChain,
  connect: ConnectProviders,
  contractOf: (terms: HtlcTerms) => HtlcContract,
): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start: () => startTestProvider(chain),
    connect,
    honest,
    behaviours: {
      'stops-at': ({ newest }) => stoppedAt(newest),
      'forges-block': ({ block }) => forgedBlock(block.hash),
      'forges-initiation': ({ terms, newest }) => forgedInitiation(contractOf(terms), terms, newest),
      'hides-events': () => lyingAbout({ getSignaturesForAddress: () => [] }),
      'shows-htlc': ({ terms, newest, as }) => shownHtlc(contractOf(terms), terms, newest, as),
    },
  })
}
