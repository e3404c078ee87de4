/** Connects the SDK to Solana: the user signs a whole transaction and sends it, or gives it to the service, which pays the fee. */
import { base58, base64 } from '@scure/base'
import { type Blockhash, getTransactionDecoder } from '@solana/kit'
import { verifyParsed, verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import { contractSides } from '@tandem/chain-kit/browser/contract-sides.ts'
import type { Node, SdkFamily, SourceSide } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem, assertThere } from '@tandem/chain-kit/browser/node-error.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import { parseAddress } from '../terms/address.ts'
import { fundingOf } from '../terms/funding.ts'
import { createContracts, type HtlcContract, swapIdOf } from '../terms/htlc.ts'
import { redeemInstructions, refundInstructions } from '../terms/instructions.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'
import { parseMessage } from '../terms/send/transaction.ts'
import { depositsWith } from './deposits.ts'
import { accountInfo, blocksIn, blockTime, genesisHash } from './node.ts'
import { readLock, settledAs } from './read-lock.ts'
import { clusterOf, sendCall } from './send-call.ts'
import type { SolanaWallet } from './wallet.ts'

/** This is the limit of consecutive slots without a block, far above what occurs. The newest block is read before anybody pays. */
const MAX_SKIPPED_SLOTS = 200n

export type SolanaPlan = {
  readonly chain: string
  readonly payer: string
  readonly transaction: Uint8Array
  /** A signature cannot fund an order of SOL, one paid by a delegate, or one of a service that relays nothing: then this is null. */
  readonly gasless: Uint8Array | null
}

const { contractOf, sidesWith } = contractSides({ createContracts, parseAddress, swapIdOf })

export const family: SdkFamily<SolanaPlan, SolanaWallet> = {
  name: 'solana',
  ...sidesWith(planOf),
  deploymentOf: () => null,
  verifyNode: (side, node) => verifyNode(side.chain, contractOf(side), node),
  async fund({ chain, payer, transaction, gasless }, wallet, { gasless: bySignature, signal }) {
    signal?.throwIfAborted()
    if (bySignature && gasless !== null) return { kind: 'signed', signature: base64.encode(await wallet.sign(chain, payer, gasless)) }
    return { kind: 'sent', tx: base58.encode(await wallet.signAndSend(chain, payer, transaction)) }
  },
  readLock: (side, node) => readLock(contractOf(side), side, node),
  settledAs: (side, node) => settledAs(contractOf(side), side, node),
  listsLocksByAccount: true,
  findLocks: async (...search) => (await import('./find-locks.ts')).findLocks(...search),
  refund: (side, by) =>
    sendCall(side, 'refund', by, (payer) => {
      const contract = contractOf(side)
      return refundInstructions(contract, side.terms, contract.mint === null ? null : payer)
    }),
  redeem: (side, secret, by) =>
    sendCall(side, 'redeem', by, (payer) => {
      const contract = contractOf(side)
      return redeemInstructions(contract, side.terms, secret, contract.mint === null ? null : payer)
    }),
  depositAddresses: depositsWith(contractOf),
}

async function planOf(side: SourceSide, contract: HtlcContract): Promise<SolanaPlan> {
  const { versioned_tx: own, versioned_tx_gasless: relayed } = side.funding as Partial<FundingResult<'versionedTransaction'>>
  const transaction = await rebuild(side, contract, 'transaction', 'versioned_tx', own)
  if (relayed !== null) verifyThat(contract.mint !== null, 'versioned_tx_gasless', 'null for SOL', relayed)
  const gasless = relayed === null ? null : await rebuild(side, contract, 'gasless', 'versioned_tx_gasless', relayed)
  return {
    chain: clusterOf(side.chain),
    payer: parseAddress(side.payer ?? side.terms.initiator),
    transaction,
    gasless: side.payer === null ? gasless : null,
  }
}

/**
 * The service may choose only the blockhash, the price of a compute unit and, for a gasless order, the fee payer. A wrong blockhash makes
 * the transaction fail. The server's own builder limits the price: a user pays 100,000 lamports in all at most.
 */
async function rebuild(
  { terms, deadline, payer }: SourceSide,
  contract: HtlcContract,
  kind: 'transaction' | 'gasless',
  field: string,
  given: string | undefined,
): Promise<Uint8Array> {
  const { feePayer, blockhash, unitPrice } = verifyParsed(field, 'a transaction, base64', given ?? '', readFrame)
  if (kind === 'gasless') verifyThat(feePayer !== terms.initiator, field, 'a fee payer that is not the user', feePayer)
  const node = { latestBlockhash: async () => ({ blockhash, lastValidBlockHeight: 0n }), priorityFee: async () => unitPrice }
  const request = { terms, deadline, payer: payer === null ? null : parseAddress(payer), approval: 'exact' } as const
  const ours = (await fundingOf(node, contract, kind === 'gasless' ? parseAddress(feePayer) : null, request))[kind]
  verifySame(field, ours, given)
  return base64.decode(ours ?? '')
}

function readFrame(text: string): { readonly feePayer: string; readonly blockhash: Blockhash; readonly unitPrice: bigint } {
  const { messageBytes, signatures } = getTransactionDecoder().decode(base64.decode(text))
  const { blockhash, budget } = parseMessage(messageBytes)
  const [feePayer] = Object.keys(signatures)
  if (feePayer === undefined) throw new Error('a transaction without signers')
  return { feePayer: parseAddress(feePayer), blockhash, unitPrice: budget.unitPrice }
}

async function verifyNode(chain: Chain, { program }: HtlcContract, node: Node): Promise<void> {
  assertNoProblem(await chainProblem(chain, { genesisHash: () => genesisHash(node) }))
  const { slot, account } = await accountInfo(node, program)
  const newest = (await blocksIn(node, slot > MAX_SKIPPED_SLOTS ? slot - MAX_SKIPPED_SLOTS : 0n, slot)).at(-1)
  assertNoProblem(newest === undefined ? 'has no recent block' : null)
  assertFreshTip(chain, await blockTime(node, newest ?? slot))
  assertThere(account !== null, program)
}
