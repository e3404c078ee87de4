/** Solana: the user signs a whole transaction and sends it, or gives it to the service, which pays the fee. */
import { base58, base64 } from '@scure/base'
import { type Blockhash, getTransactionDecoder } from '@solana/kit'
import { verifyParsed, verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { SdkFamily, SourceSide, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { verifySwap } from '@tandem/chain-kit/browser/verify-swap.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import { parseAddress } from '../terms/address.ts'
import { fundingOf } from '../terms/funding.ts'
import { createContracts, type HtlcContract, swapIdOf } from '../terms/htlc.ts'
import { redeemInstructions, refundInstructions } from '../terms/instructions.ts'
import { parseMessage } from '../terms/send/transaction.ts'
import { readLock, settledAs } from './read-lock.ts'
import { settle } from './settle.ts'
import { verifyNode } from './verify-node.ts'
import type { SolanaWallet } from './wallet.ts'

export type SolanaPlan = {
  /** As the wallet standard names it. */
  readonly chain: string
  readonly payer: string
  readonly transaction: Uint8Array
  /** Null where the order cannot be funded by a signature: of SOL, paid by a delegate, or by a service that relays nothing. */
  readonly gasless: Uint8Array | null
}

/** Those that the wallet standard has names for. */
const PUBLIC_CLUSTERS: readonly string[] = ['solana:mainnet', 'solana:testnet', 'solana:devnet']

export const family: SdkFamily<SolanaPlan, SolanaWallet> = {
  name: 'solana',
  parseAddress,
  deploymentOf: () => null,
  async verifySource(side) {
    const contract = verifySide(side, side.payer)
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
  },
  verifyDestination(side) {
    verifySide(side, null)
  },
  verifyNode: (side, node) => verifyNode(side.chain, contractOf(side), node),
  async fund({ chain, payer, transaction, gasless }, wallet, { gasless: bySignature, signal }) {
    signal?.throwIfAborted()
    if (bySignature && gasless !== null) return { kind: 'signed', signature: base64.encode(await wallet.sign(chain, payer, gasless)) }
    return { kind: 'sent', tx: base58.encode(await wallet.signAndSend(chain, payer, transaction)) }
  },
  readLock: (side, node) => readLock(contractOf(side), side, node),
  settledAs: (side, node) => settledAs(contractOf(side), side, node),
  listsLocksByAccount: true,
  async findLocks(search, node) {
    const { findLocks } = await import('./find-locks.ts')
    return findLocks(search, node)
  },
  refund: (side, by) =>
    settle(side, clusterOf(side.chain), 'refund', by, (payer) => {
      const contract = contractOf(side)
      return refundInstructions(contract, side.terms, contract.mint === null ? null : payer)
    }),
  redeem: (side, secret, by) =>
    settle(side, clusterOf(side.chain), 'redeem', by, (payer) => {
      const contract = contractOf(side)
      return redeemInstructions(contract, side.terms, secret, contract.mint === null ? null : payer)
    }),
}

function clusterOf({ reference }: Chain): string {
  return PUBLIC_CLUSTERS.includes(reference) ? reference : 'solana:localnet'
}

function contractOf({ chain, asset, deployment }: SwapSide): HtlcContract {
  return createContracts(chain, [{ ...asset, deployment }]).of(asset.id)
}

function verifySide(side: SwapSide, payer: string | null): HtlcContract {
  const contract = contractOf(side)
  verifySwap(side, { parse: parseAddress, payer, swapId: () => swapIdOf(contract, side.terms) })
  return contract
}

/**
 * Only the blockhash, the price of a compute unit and, if it is gasless, the fee payer are the service's to choose. A wrong blockhash makes the transaction
 * fail. The server's own builder limits the price: to 100,000 lamports in all that a user pays.
 */
async function rebuild(
  { terms, deadline, payer }: SourceSide,
  contract: HtlcContract,
  kind: 'transaction' | 'gasless',
  field: string,
  told: string | undefined,
): Promise<Uint8Array> {
  const { feePayer, blockhash, unitPrice } = verifyParsed(field, 'a transaction, base64', told ?? '', readFrame)
  if (kind === 'gasless') verifyThat(feePayer !== terms.initiator, field, 'a fee payer that is not the user', feePayer)
  const node = { latestBlockhash: async () => ({ blockhash, lastValidBlockHeight: 0n }), priorityFee: async () => unitPrice }
  const request = { terms, deadline, payer: payer === null ? null : parseAddress(payer), approval: 'exact' } as const
  const ours = (await fundingOf(node, contract, kind === 'gasless' ? parseAddress(feePayer) : null, request))[kind]
  verifySame(field, ours, told)
  return base64.decode(ours ?? '')
}

function readFrame(text: string): { readonly feePayer: string; readonly blockhash: Blockhash; readonly unitPrice: bigint } {
  const { messageBytes, signatures } = getTransactionDecoder().decode(base64.decode(text))
  const { blockhash, budget } = parseMessage(messageBytes)
  const [feePayer] = Object.keys(signatures)
  if (feePayer === undefined) throw new Error('a transaction without signers')
  return { feePayer: parseAddress(feePayer), blockhash, unitPrice: budget.unitPrice }
}
