/** Lets users pay by an escrow of their own account on the XRP Ledger. */
import { verifySame } from '@tandem/chain-kit/browser/check.ts'
import { assertFreshTip, latestTime } from '@tandem/chain-kit/browser/clock.ts'
import type { Node, SdkFamily, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem } from '@tandem/chain-kit/browser/node-error.ts'
import { verifySwap } from '@tandem/chain-kit/browser/verify-swap.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type EscrowCreate, escrowCreateOf } from '@tandem/protocol/funding/escrow-create.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import { parseAddress } from '../terms/address.ts'
import { conditionOf, fulfillmentOf, fundingOf, swapIdOf } from '../terms/htlc.ts'
import { networkIdOf } from '../terms/network.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'
import { type FoundEscrow, findEscrow, networkId, newestLedger, settledAs } from './find-escrow.ts'
import type { XrplWallet } from './wallet.ts'

export type XrplPlan = { readonly escrow: EscrowCreate }

export const family: SdkFamily<XrplPlan, XrplWallet> = {
  name: 'xrpl',
  parseAddress: (text, chain) => parseAddress(chain, text),
  /** Escrows are part of the ledger. */
  deploymentOf: () => ({ htlc: null, token: null }),
  verifySource(side) {
    verifySide(side, side.payer)
    const escrow = escrowCreateOf(fundingOf({ terms: side.terms, deadline: side.deadline, payer: side.payer, approval: 'exact' }))
    const funding = side.funding as Partial<FundingResult<'escrow'>>
    verifySame('escrow_create_tx', escrow, funding.escrow_create_tx)
    return { escrow }
  },
  verifyDestination: (side) => verifySide(side, null),
  async verifyWallet({ chain }, { wallet }) {
    const [network, expected] = [await wallet.networkId(), networkIdOf(chain)]
    if (network !== expected)
      throw new Error(`the wallet is on network ${network} of the XRP Ledger, and ${chain.id} is network ${expected}: switch it`)
  },
  verifyNode: ({ chain }, node) => verifyNode(chain, node),
  async fund({ escrow }, wallet, { signal }) {
    signal?.throwIfAborted()
    return { kind: 'sent', tx: await wallet.submit(escrow) }
  },
  /** Only validated ledgers are read: they are final. */
  async readLock(side, node) {
    const found = await findEscrow(side, node)
    if (found === null) return null
    const { index, time } = await newestLedger(node)
    return { confirmations: index - found.ledger + 1, unitsLeft: found.escrow.cancelAfter - latestTime(time) }
  },
  settledAs,
  listsLocksByAccount: true,
  findLocks: async (...search) => (await import('./find-locks.ts')).findLocks(...search),
  async refund(side, { wallet, node }) {
    const { sequence } = await requireEscrow(side, node)
    const { initiator: owner } = side.terms
    return wallet.submit({ TransactionType: 'EscrowCancel', Account: owner, Owner: owner, OfferSequence: sequence })
  },
  async redeem(side, secret, { wallet, node }) {
    const { sequence } = await requireEscrow(side, node)
    return wallet.submit({
      TransactionType: 'EscrowFinish',
      Account: await wallet.address(side.chain),
      Owner: side.terms.initiator,
      OfferSequence: sequence,
      Condition: conditionOf(side.terms.secretHash),
      Fulfillment: fulfillmentOf(secret),
    })
  },
}

async function requireEscrow(side: SwapSide, node: Node | null): Promise<FoundEscrow> {
  if (node === null) throw new Error(`name a node of ${side.chain.id} in the option nodes: it tells the sequence of the escrow`)
  const found = await findEscrow(side, node)
  if (found === null) throw new Error(`the node shows no escrow of this order on ${side.chain.id}`)
  return found
}

function verifySide(side: SwapSide, payer: string | null): void {
  const { chain, terms } = side
  verifySwap(side, { parse: (text) => parseAddress(chain, text), payer, swapId: () => swapIdOf(chain.id, terms) })
}

/** Escrows are part of the ledger, so there is no contract to check. */
async function verifyNode(chain: Chain, node: Node): Promise<void> {
  assertNoProblem(await chainProblem(chain, { networkId: () => networkId(node) }))
  assertFreshTip(chain, (await newestLedger(node)).time)
}
