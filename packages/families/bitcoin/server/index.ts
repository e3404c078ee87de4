/** Implements the Bitcoin family: HTLCs as taproot outputs, through any number of Bitcoin Core nodes (JSON-RPC) and Esplora servers. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { BranchRead } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily } from '@tandem/chain-kit/port/family.ts'
import type { DepositReading, HtlcReading } from '@tandem/chain-kit/port/htlc-reading.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { readingOf } from '@tandem/chain-kit/providers/htlc-reading.ts'
import { onCurve } from '@tandem/keys/key.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { basicFormsOf, bitcoinFacts } from '../terms/facts.ts'
import { htlcOf } from '../terms/htlc.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'
import { verifiableNetwork } from '../terms/nodes/verify-network.ts'
import { createRefundPackage } from '../terms/rescue/create-refund-package.ts'
import { parseBitcoinAddress, scriptOfAddress, walletAddress } from '../terms/script/address.ts'
import { identityOf, parseUserIdentity, parseUserKey } from '../terms/script/user-key.ts'
import { feeOf } from '../terms/wallet/fees.ts'
import { createBlocksSince } from './blocks/blocks-since.ts'
import { reorgWhileReading } from './blocks/scan-blocks.ts'
import { cosigning, instantRefundSigning, refundCosigning } from './cosign/cosign-abilities.ts'
import { verifyFill } from './cosign/fill.ts'
import { proposeInstantRefunds } from './cosign/instant-refund.ts'
import { sendInstantRefund } from './cosign/send-instant-refund.ts'
import { findEvents } from './events.ts'
import { defaultPace } from './execute.ts'
import type { Execution } from './execution.ts'
import { createHtlcDeriver } from './htlc-jobs.ts'
import type { BitcoinBackend } from './nodes/backend.ts'
import { type BitcoinNodes, connectNodes } from './nodes/connect-nodes.ts'
import { createPermit } from './permit.ts'
import { connectRescueNode, parseDeposit, parseFeeRate, rescue } from './rescue/rescue.ts'
import { verifyMessage } from './script/bip322.ts'
import { signFill } from './sign-fill.ts'
import { signingFacts } from './signing-facts.ts'
import { assertWorthPaying, batchRedeem, redeemHtlc, refundHtlc } from './spend/spend.ts'
import { redeemVsize } from './spend/spend-size.ts'
import { cancelInitiation } from './wallet/cancel.ts'
import { createFeeEstimator } from './wallet/fee-estimator.ts'
import { initiateHtlc, payFromWallet } from './wallet/initiate.ts'
import { transferCost, transferOutcome } from './wallet/transfer.ts'

/** The redeem spends one deposit to a P2WPKH address. */
const TYPICAL_REDEEM_VSIZE = 143n

/** The redeem spends one deposit to the longest kind of address. */
const MAX_REDEEM_VSIZE = 155n
const TYPICAL_REFUND_VSIZE = 133n

/** The payment spends one coin and has change. */
const TYPICAL_INITIATE_VSIZE = 153n

const DECIMALS = 8

export const bitcoin: ChainFamily = {
  ...bitcoinFacts,
  signingFacts,
  connect: (chain, options) => createBitcoinClient(chain, connectNodes(chain, verifiableNetwork(chain), options)),
  rescue: { timelockUnit: 'blocks', refund: rescue, connect: connectRescueNode, parseDeposit, parseFeeRate },
}

function createBitcoinClient(chain: Chain, { network, backend, verify, inspect, newBlocks, close }: BitcoinNodes): ChainClient {
  const fees = createFeeEstimator(backend, network)
  const deriveHtlc = createHtlcDeriver()
  const blocks = createBlocksSince(backend)
  const { draft, ...cosigned } = cosigning(network)
  // Without an address the redeemer is paid at the wallet address of its key. Either of the two keys with this x has one of the same kind.
  const payoutAddress = (terms: HtlcTerms) => walletAddress(hexToBytes(`02${terms.redeemer}`), network)
  const execution = async (outbox: Outbox): Promise<Execution> => ({
    chain,
    network,
    backend,
    outbox,
    others: await outbox.readOthers(),
    feeRate: fees.feeRate,
    blocks,
  })
  const assertAsset = (asset: AssetId) => {
    if (asset !== chain.nativeAsset)
      throw new TandemError('unsupported_pair', `${chain.id} has no asset "${asset}", only ${chain.nativeAsset}`)
  }

  return {
    chain,
    curve: bitcoin.curve,
    text: textFormsOf(network),
    identityOf,
    addressOf: (key) => walletAddress(onCurve('secp256k1', key).publicKey, network),
    swapId: (terms) => htlcOf(terms, network).address,
    permitSigning: createPermit(chain, network),
    prepare: (terms) => deriveHtlc(terms, network),
    orderKeys: {
      parseUserKey: (text) => parseUserKey(text, network),
      verifyMessage: (address, message, proof) => verifyMessage(address, message, proof, network),
      refundPackage: (terms, privateKey, refundAddress) => createRefundPackage(chain, terms, privateKey, refundAddress),
    },

    verifyNode: verify,
    tip: backend.tip,
    ...(backend.tipHint !== undefined && { tipHint: backend.tipHint }),
    headers: backend.headers,
    async events(watched, from, to) {
      if (watched.isEmpty || to < from) return []
      return findEvents(await backend.transactionsIn(watched, from, to), watched, network)
    },
    branchEvents: (watched, from, end, heights) => readBranch(backend, network, watched, { from, end, heights }),
    async unconfirmedEvents(watched) {
      if (watched.isEmpty) return []
      const transactions = await backend.unconfirmed(watched)
      return findEvents(
        transactions.map((transaction) => ({ transaction, block: null })),
        watched,
        network,
      )
    },
    readHtlc: (terms, deposits) => readHtlc({ chain, network, backend }, terms, deposits),
    async balance(asset, owner) {
      assertAsset(asset)
      return (await backend.coinsOf(owner)).reduce((sum, coin) => sum + coin.amount, 0n)
    },
    async funding({ terms }) {
      assertAsset(terms.asset)
      return fundingOf(terms, network)
    },
    async verifyPayout(terms, to) {
      const { redeem } = htlcOf(terms, network)
      const script = scriptOfAddress(to ?? payoutAddress(terms), network)
      assertWorthPaying(terms.amount, redeemVsize(redeem, 1, script), await fees.feeRate('normal'), script, network)
    },
    async payoutFee(asset) {
      assertAsset(asset)
      return feeOf(MAX_REDEEM_VSIZE, await fees.promisedRate())
    },
    async legCost(asset) {
      assertAsset(asset)
      const rate = await fees.feeRate('normal')
      return {
        decimals: DECIMALS,
        initiate: feeOf(TYPICAL_INITIATE_VSIZE, rate),
        redeem: feeOf(TYPICAL_REDEEM_VSIZE, rate),
        refund: feeOf(TYPICAL_REFUND_VSIZE, rate),
      }
    },
    initiate: async (terms, outbox) => initiateHtlc(await execution(outbox), terms),
    redeem: async (terms, spend, outbox) => redeemHtlc(await execution(outbox), terms, spend),
    refund: async (terms, spend, outbox) => refundHtlc(await execution(outbox), terms, spend),
    partialDeposits: { signFill, verifyFill },
    instantRefund: {
      propose: async (terms, spend, signing) => proposeInstantRefunds(network, terms, spend, await fees.presignedRate(), signing),
      ...instantRefundSigning(network),
      send: async (terms, refunds, outbox) => sendInstantRefund(await execution(outbox), terms, refunds),
    },
    cosignedRefund: refundCosigning(network),
    batchRedeem: {
      // A batch leaves out deposits that were spent.
      areRedeemable: async (items) => items.map(() => true),
      redeem: async (items, outbox) => batchRedeem(await execution(outbox), items, null),
    },
    cosignedRedeem: {
      send: async (items, transaction, outbox) => batchRedeem(await execution(outbox), items, transaction),
      draft: async (items, signer) => draft(await fees.feeRate(defaultPace(network)), items, signer),
      ...cosigned,
    },
    cancel: async (outbox) => cancelInitiation(await execution(outbox)),
    transfer: {
      async send({ asset, recipient, amount }, outbox) {
        assertAsset(asset)
        return payFromWallet(await execution(outbox), { amount, script: scriptOfAddress(recipient, network) })
      },
      outcome: ({ recipient }, _, attempts) => transferOutcome({ network, backend }, recipient, attempts),
      async fee({ asset, amount }, owner) {
        assertAsset(asset)
        const coins = await backend.coinsOf(walletAddress(onCurve('secp256k1', owner).publicKey, network))
        return transferCost(coins, amount, await fees.feeRate(defaultPace(network)))
      },
    },
    inspectProviders: inspect,
    ...(newBlocks !== undefined && { newBlocks }),
    close,
  }
}

function fundingOf(terms: HtlcTerms, network: BitcoinNetwork): Funding {
  return { kind: 'deposit', to: htlcOf(terms, network).address, amount: terms.amount }
}

/** A deposit is an output that pays the HTLC's script and that no transaction spends, in a block or in the mempool. */
type Source = { readonly chain: Chain; readonly network: BitcoinNetwork; readonly backend: Pick<BitcoinBackend, 'unspentOutput'> }

function readHtlc({ chain, network, backend }: Source, terms: HtlcTerms, deposits: readonly string[]): Promise<HtlcReading> {
  const { address, script } = htlcOf(terms, network)
  const read = async (id: string): Promise<DepositReading> => {
    const output = await backend.unspentOutput(id)
    const isOpen = output !== null && bytesToHex(output.script) === bytesToHex(script)
    return isOpen ? { id, state: 'open', amount: output.amount } : { id, state: 'gone' }
  }
  return readingOf(chain.id, address, () => Promise.all(deposits.map(read)))
}

/** Parties are x-only keys (BIP340). */
export function textFormsOf(network: BitcoinNetwork): TextForms {
  return {
    ...basicFormsOf(network),
    parseAddress: (text) => parseBitcoinAddress(text, network),
    parseIdentity(text) {
      const identity = parseUserIdentity(text)
      if (identity === null)
        throw new TandemError(
          'invalid_address',
          `"${text.slice(0, 90)}" is not a party of a ${network.coin} HTLC: expected an x-only public key`,
        )
      return identity
    },
    parseTransactionId(text) {
      // The height of `formatInitiation` is optional.
      const digits = /^(?:0x)?([0-9a-f]{64})(?::[0-9]+)?$/i.exec(text)?.[1]
      if (digits === undefined)
        throw new TandemError(
          'bad_request',
          `"${text.slice(0, 90)}" is not the id of a ${network.coin} transaction: expected 64 hex digits`,
        )
      return digits.toLowerCase()
    },
  }
}

/** One new block, which is the usual poll, is read by its hash alone: its header names its parent. */

type Branch = { readonly from: bigint; readonly end: Block; readonly heights: readonly bigint[] }

export async function readBranch(
  backend: BitcoinBackend,
  network: BitcoinNetwork,
  watched: WatchedSwaps,
  { from, end, heights }: Branch,
): Promise<BranchRead> {
  const headers = async () => (heights.length === 0 ? [] : backend.headers(heights))
  if (watched.isEmpty || end.height < from) return { events: [], headers: await headers() }
  if (from === end.height) {
    const seen = await backend.transactionsOf(watched, end)
    return { events: await findEvents(seen, watched, network), headers: await headers() }
  }
  const seen = await backend.transactionsIn(watched, from, end.height)
  const events = await findEvents(seen, watched, network)
  const read = await headers()
  const last = read.find(({ height }) => height === end.height) ?? (await backend.blockAt(end.height))
  if (last?.hash !== end.hash) throw reorgWhileReading(end.height)
  return { events, headers: read }
}
