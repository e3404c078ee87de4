/** Refunds deposits from a refund package alone, without the service. Only a node to broadcast is needed. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { SigHash } from '@scure/btc-signer'
import type { RefundPackage, Rescue, RescueNode, RescueRequest } from '@tandem/chain-kit/port/abilities/rescue.ts'
import type { Endpoint, Endpoints } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { SpendableDeposit } from '@tandem/chain-kit/port/spend.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import type { Purpose } from '@tandem/keys/purpose.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import { createSecp256k1RawSigner } from '@tandem/keys/secp256k1.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { verifyNetwork } from '../../terms/nodes/verify-network.ts'
import { parseBitcoinAddress, scriptOfAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { estimateVsize } from '../../terms/script/weight.ts'
import { boundFeeRate, dustLimit, feeCap, feeOf, NORMAL_TARGET } from '../../terms/wallet/fees.ts'
import { compose, finish, largestFirst, totalOf } from '../../terms/wallet/sign.ts'
import type { BitcoinNode } from '../nodes/backend.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { SCAN_TIMEOUT_MS } from '../nodes/core-scan.ts'
import { createEsploraBackend } from '../nodes/esplora.ts'
import { type ParsedPackage, parseRefundPackage } from './refund-package.ts'

const SIGNATURE_BYTES = 64

/** Nodes do not relay a transaction above 100 kvB. A hundred inputs stay far below. */
const MAX_DEPOSITS = 100

export const rescue: Rescue['refund'] = (refundPackage, request) => {
  const known = parseRefundPackage(refundPackage)
  const { htlc, network, terms } = known
  const signer = signerOf(known, request.privateKey, refundPackage.chain)
  const to = parseBitcoinAddress(request.to ?? known.refundAddress ?? failWithoutAddress(), network)
  const output = scriptOfAddress(to, network)
  assertFeeRate(request.feeRate, network)
  const witness = [SIGNATURE_BYTES, htlc.refund.script.length, htlc.refund.controlBlock.length]
  const vsizeOf = (count: number) => estimateVsize(Array<readonly number[]>(count).fill(witness), [output])
  const deposits = chooseDeposits(request, feeOf(vsizeOf(2) - vsizeOf(1), request.feeRate))
  const total = totalOf(deposits)
  const vsize = vsizeOf(deposits.length)
  const fee = feeOf(vsize, request.feeRate)
  if (fee > feeCap(total, vsize, network) || total - fee < dustLimit(output, network))
    throw unusable(
      `the fee of ${fee} would take most of the ${total} ${network.unit} that were deposited: choose a lower fee rate, or wait until fees are lower`,
    )

  const coins = deposits.map(({ id, amount }) => ({ outpoint: id, amount }))
  // BIP68: with version 2 the sequence is the minimum age of each deposit.
  const transaction = compose(coins, htlc.script, Number(terms.timelock), [{ amount: total - fee, script: output }])
  const scripts = deposits.map(() => htlc.script)
  const amounts = deposits.map(({ amount }) => amount)
  for (const index of deposits.keys()) {
    const hash = transaction.preimageWitnessV1(index, scripts, SigHash.DEFAULT, amounts, undefined, htlc.refund.script)
    const signed = [signer.signSchnorr(hash), htlc.refund.script, htlc.refund.controlBlock]
    transaction.updateInput(index, { finalScriptWitness: signed }, true)
  }
  const { txid, raw } = finish(transaction)
  return { transaction: raw, tx: txid, deposits: deposits.map(({ id }) => id), to, pays: total - fee, fee, timelock: terms.timelock }
}

/** No error quotes the key: it may be the right one with a typo. */
function signerOf({ privateKey, terms }: ParsedPackage, given: string | null, chain: ChainId): Secp256k1RawSigner {
  const text = given ?? privateKey
  if (text === null) throw unusable('the refund package has no private key: give the one that belongs to the public key of its initiator')
  if (!/^(0x)?[0-9a-f]{64}$/i.test(text)) throw unusable('a private key is 32 bytes as 64 hex characters')
  const signer = readKey(text, { kind: 'rescue', chain, terms })
  if (signer === null || identityOf(signer) !== terms.initiator)
    throw unusable(`the private key does not belong to this refund package: its initiator is the public key ${terms.initiator}`)
  return signer
}

function readKey(text: string, purpose: Purpose): Secp256k1RawSigner | null {
  try {
    return createSecp256k1RawSigner(text, purpose)
  } catch {
    return null
  }
}

function failWithoutAddress(): never {
  throw unusable('the refund package has no refund address: name one')
}

/** A typo in the rate must not burn the deposit. */
function assertFeeRate(rate: bigint, { minFeeRate, maxFeeRate, unit }: BitcoinNetwork): void {
  if (rate < minFeeRate || rate > maxFeeRate)
    throw unusable(`the fee rate must be from ${minFeeRate / 1000n} to ${maxFeeRate / 1000n} ${unit} per vB`)
}

function chooseDeposits({ deposits }: RescueRequest, inputFee: bigint): RescueRequest['deposits'] {
  if (deposits.length === 0) throw unusable('there is no deposit to refund')
  const broken = deposits.find(({ id, amount }) => !/^[0-9a-f]{64}:[0-9]{1,10}$/.test(id) || amount <= 0n)
  if (broken !== undefined)
    throw unusable(`"${broken.id}" with ${broken.amount} is not a deposit: expected a transaction id, the output's number and its amount`)
  if (new Set(deposits.map(({ id }) => id)).size < deposits.length) throw unusable('a deposit is named twice')
  const economic = deposits.filter(({ amount }) => amount > inputFee).toSorted(largestFirst)
  if (economic.length === 0) throw unusable(`no deposit is worth the fee of ${inputFee} that spending it costs: lower the fee rate`)
  return economic.slice(0, MAX_DEPOSITS)
}

export function connectRescueNode(refundPackage: RefundPackage, endpoints: Endpoints): RescueNode {
  const { network, htlc, terms } = parseRefundPackage(refundPackage)
  const backend = connectBackend(endpoints, network)
  const assertNetwork = () => verifyNetwork({ id: refundPackage.chain }, network, backend)
  const readDeposit = async (outpoint: string) => {
    const output = await backend.output(outpoint)
    if (output.state === 'missing' || output.confirmations === 0n) return []
    const content = await backend.contentOf(outpoint)
    if (content === null || bytesToHex(content.script) !== bytesToHex(htlc.script)) return []
    // BIP68: the block of the deposit is its first confirmation.
    return [{ id: outpoint, amount: content.amount, unitsLeft: terms.timelock - output.confirmations }]
  }
  return {
    async deposits(named) {
      await assertNetwork()
      const outpoints = named ?? (await backend.coinsOf(htlc.address)).map(({ outpoint }) => outpoint)
      return (await inParallel(outpoints, readDeposit)).flat()
    },
    feeRate: async () => boundFeeRate((await backend.estimateFeeRate(NORMAL_TARGET)) ?? network.fallbackFeeRate, network),
    async broadcast(transaction) {
      await assertNetwork()
      const result = await backend.broadcast(transaction)
      if (!result.accepted) throw new ChainFailure('would-fail', `the node refused the refund: ${result.reason}`)
    },
    close: backend.close,
  }
}

function connectBackend(endpoints: Endpoints, network: BitcoinNetwork): BitcoinNode {
  const { rpc, esplora } = onePerKind(endpoints)
  if (esplora !== undefined) return createEsploraBackend(esplora, network)
  // The user of a rescue waits for nothing else.
  if (rpc !== undefined) return createCoreBackend(rpc, network, { patienceMs: SCAN_TIMEOUT_MS })
  throw new Error('a rescue node needs an endpoint "rpc" or "esplora"')
}

function unusable(message: string): TandemError {
  return new TandemError('bad_request', message)
}

/** A rescue asks one node, which its user names. */
function onePerKind(endpoints: Endpoints): { readonly rpc?: Endpoint; readonly esplora?: Endpoint } {
  return Object.fromEntries(
    Object.entries(endpoints).map(([kind, urls]) => {
      const [url, ...more] = urls
      if (url === undefined || more.length > 0) throw new Error(`the endpoint "${kind}" must be exactly one URL, got ${urls.length}`)
      return [kind, url]
    }),
  )
}

export function parseDeposit(text: string): SpendableDeposit {
  const match = /^([0-9a-fA-F]{64}):([0-9]{1,10}):([1-9][0-9]{0,18})$/.exec(text)
  if (match?.[1] === undefined || match[3] === undefined)
    throw new Error(`--deposit takes txid:vout:amount, the amount in the smallest unit, got "${text.slice(0, 100)}"`)
  return { id: `${match[1].toLowerCase()}:${Number(match[2])}`, amount: BigInt(match[3]) }
}

/** The text is in satoshis per vB with up to three decimals. The result is per 1000 vB. */
export function parseFeeRate(text: string): bigint {
  const match = /^([0-9]{1,6})(?:\.([0-9]{1,3}))?$/.exec(text)
  if (match?.[1] === undefined) throw new Error(`--fee-rate takes a number such as 5 or 2.5, got "${text.slice(0, 20)}"`)
  return BigInt(match[1]) * 1000n + BigInt((match[2] ?? '').padEnd(3, '0'))
}
