/** Implements the XRPL family: native escrows of XRP with a PREIMAGE-SHA-256 condition. */
import { assertPayee } from '@tandem/chain-kit/contract/action.ts'
import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { DepositReading, HtlcReading } from '@tandem/chain-kit/port/htlc-reading.ts'
import { type BlockSubscription, subscribeToBlocks } from '@tandem/chain-kit/providers/block-subscription.ts'
import { readingOf } from '@tandem/chain-kit/providers/htlc-reading.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { accountOf, partyOf, textFormsOf } from '../terms/address.ts'
import { xrplFacts } from '../terms/facts.ts'
import { fundingOf, isEscrowOf, parseDeposit, swapIdOf } from '../terms/htlc.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'
import { obstacleToPaying, spendableOf } from './accounts.ts'
import { readEvents } from './events.ts'
import { assertPayable, createExecutor } from './execute.ts'
import { suggestFees } from './fees.ts'
import { connectNode, inspectNodes } from './nodes/connect-node.ts'
import type { XrplNode } from './nodes/node.ts'
import { newestOf } from './nodes/shared-node.ts'
import { createPermit } from './permit.ts'
import { FINISH_UNITS } from './send/transaction.ts'
import { signingFacts } from './signing-facts.ts'
import { createTransfer } from './transfer.ts'

const DECIMALS = 6

/** Nodes announce a ledger when it is validated. */
const newLedgers: BlockSubscription = { request: { id: 1, command: 'subscribe', streams: ['ledger'] }, notice: ['type', 'ledgerClosed'] }

export const xrpl: ChainFamily = {
  ...xrplFacts,
  signingFacts,
  connect: (chain, options) => createXrplClient(chain, options, connectNode(chain, options)),
}

/** `node` is closed with the client. */
function createXrplClient(chain: Chain, options: ConnectOptions, node: XrplNode): ChainClient {
  const executor = createExecutor(chain, node)
  const { tipHint } = node

  function assertCoin(asset: string): void {
    if (asset !== chain.nativeAsset)
      throw new TandemError('unsupported_pair', `${asset} cannot be locked on ${chain.id}: its escrows hold XRP`)
  }

  return {
    chain,
    curve: xrpl.curve,
    text: textFormsOf(chain),
    identityOf: accountOf,
    addressOf: accountOf,
    swapId(terms) {
      assertCoin(terms.asset)
      return swapIdOf(chain.id, terms)
    },
    permitSigning: createPermit(chain, () => BigInt(Math.floor(Date.now() / 1000))),

    async verifyNode() {
      const problem = await chainProblem(chain, node)
      if (problem !== null) throw new ChainFailure('would-fail', `${chain.id}: the node ${problem}`)
    },
    tip: () => newestOf(node),
    ...(tipHint !== undefined && { tipHint }),
    headers: node.blocks,
    events: (watched, from, to) => readEvents(node, watched, from, to),
    readHtlc: (terms, deposits) => readHtlc(node, chain, terms, deposits),
    async balance(asset, owner) {
      assertCoin(asset)
      return spendableOf(node, partyOf(owner).account)
    },
    async funding(request) {
      assertCoin(request.terms.asset)
      return fundingOf(request)
    },
    async verifyPayout(terms, to) {
      assertPayee(to, terms.redeemer)
      await assertPayable(node, terms, null)
    },

    initiate: executor.initiate,
    async redeem(terms, { deposits, to, secret }, outbox) {
      assertPayee(to, terms.redeemer)
      return executor.redeem(terms, deposits, secret, outbox)
    },
    async refund(terms, { deposits, to }, outbox) {
      assertPayee(to, terms.initiator)
      return executor.refund(terms, deposits, outbox)
    },

    cancel: executor.cancelUnmined,
    transfer: createTransfer(chain, node, assertCoin),
    async legCost(asset) {
      assertCoin(asset)
      return legCostOf(node)
    },
    checkRecipient: (address) => obstacleToPaying(node, address),
    inspectProviders: () => inspectNodes(chain, options),
    newBlocks: subscribeToBlocks(options.endpoints.ws ?? [], newLedgers),
    async close() {
      node.close()
    },
  }
}

type Reader = Pick<XrplNode, 'block' | 'escrow'>

function readHtlc(node: Reader, { id: chain }: Chain, terms: HtlcTerms, deposits: readonly string[]): Promise<HtlcReading> {
  const read = async (id: string, ledger: bigint): Promise<DepositReading> => {
    const { owner, sequence } = parseDeposit(id)
    const found = await node.escrow(owner, sequence, ledger)
    const isOpen = found !== null && found !== 'other' && owner === terms.initiator && isEscrowOf(terms, found)
    return isOpen ? { id, state: 'open', amount: found.amount } : { id, state: 'gone' }
  }
  return readingOf(chain, swapIdOf(chain, terms), async () => {
    if (deposits.length === 0) return []
    const { height } = await newestOf(node)
    return Promise.all(deposits.map((id) => read(id, height)))
  })
}

async function legCostOf(node: Pick<XrplNode, 'fee' | 'reserves'>): Promise<LegCost> {
  const [{ perUnit }, { increment }] = await Promise.all([suggestFees(node, 0n, null), node.reserves()])
  return { decimals: DECIMALS, initiate: perUnit, redeem: perUnit * FINISH_UNITS, refund: perUnit, bound: increment }
}
