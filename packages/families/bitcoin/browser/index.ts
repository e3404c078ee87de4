/** Lets users pay on chains of the Bitcoin family: the address of the HTLC follows from the terms. */

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { verifyParsed, verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { Balance, HeldAsset, Node, SdkFamily, SourceSide, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem } from '@tandem/chain-kit/browser/node-error.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { withFirstBlock } from '../terms/chain-data.ts'
import { htlcOf } from '../terms/htlc.ts'
import { type BitcoinNetwork, networkOf } from '../terms/networks.ts'
import { networkProblem } from '../terms/nodes/verify-network.ts'
import { createRefundPackage } from '../terms/rescue/create-refund-package.ts'
import { parseBitcoinAddress, parseXOnlyKey, scriptOfAddress } from '../terms/script/address.ts'
import { parseUserKey } from '../terms/script/user-key.ts'
import { estimateVsize, WALLET_WITNESS } from '../terms/script/weight.ts'
import { boundFeeRate, feeOf, NORMAL_TARGET } from '../terms/wallet/fees.ts'
import { largestFirst } from '../terms/wallet/sign.ts'
import { feeRate, hashAt, newestBlock, utxosOf } from './esplora.ts'
import { ownKeys } from './own-keys.ts'
import type { Payment } from './pay-by-psbt.ts'
import { readLock, settledAs } from './read-lock.ts'
import type { BitcoinWallet } from './wallet.ts'

/** The script is a P2TR output (BIP341). */
const HTLC_SCRIPT = new Uint8Array(34)

/** The fee may be higher when the user pays, so `spendable` reserves a quarter more. */
const [RESERVED, OF_FEE] = [5n, 4n]

export const family: SdkFamily<Payment, BitcoinWallet> = {
  name: 'bitcoin',
  parseAddress: (text, chain) => parseBitcoinAddress(text, networkOf(chain.reference)),
  deploymentOf: () => ({ htlc: null, token: null }),
  verifySource(side) {
    verifySide(side, 'initiator')
    const funding = side.funding as Partial<FundingResult<'deposit'>>
    const { address: to } = htlcOf(side.terms, networkOf(side.chain.reference))
    verifySame('to', to, funding.to)
    verifySame('amount', side.terms.amount.toString(), funding.amount)
    verifyPackage(side, funding.refund_package)
    return { chain: side.chain, to, amount: side.terms.amount }
  },
  verifyDestination: (side) => verifySide(side, 'redeemer'),
  verifyNode: ({ chain, deployment }, node) => verifyNode(chain, deployment.firstBlock, node),
  fund: async (payment, wallet, { signal }) => ({ kind: 'sent', tx: await wallet.pay(payment, signal) }),
  balanceOf,
  readLock,
  settledAs,
  ownKeys,
}

/**
 * The user is their own key, or a key that the service made for this order. The record shows that one as `delegate`, and the user's address in its place: where
 * the money goes.
 */
function verifySide(side: SwapSide, role: 'initiator' | 'redeemer'): void {
  const { leg, record, terms, owner } = side
  const network = networkOf(side.chain.reference)
  const field = (name: string) => `${leg}_swap.${name}`
  const own = parseUserKey(owner ?? '', network)
  if (own === null) {
    verifyKey(leg, 'delegate', terms[role])
    verifySame(field(role), addressOf(owner, network) ?? '', record[role])
  } else {
    verifySame(field(role), own.identity, record[role])
  }
  verifySame(field('delegate'), own === null ? terms[role] : undefined, record.delegate)
  const other = role === 'initiator' ? 'redeemer' : 'initiator'
  verifyKey(leg, other, record[other])
  verifyThat(terms.initiator !== terms.redeemer, field(other), 'a key other than the user’s', record[other])
  verifySame(field('swap_id'), htlcOf(terms, network).address, record.swap_id)
}

/** Null if the user has named none. */
function addressOf(owner: string | null, network: BitcoinNetwork): string | null {
  return owner === null || owner === '' ? null : parseBitcoinAddress(owner, network)
}

function verifyKey(leg: Leg, name: 'initiator' | 'redeemer' | 'delegate', key: string): void {
  verifyParsed(`${leg}_swap.${name}`, 'an x-only public key', key, (text) => parseXOnlyKey(text, name))
}

/** If the service made the key, the user needs the package to refund without the service. The package must have the key of the terms. */
function verifyPackage({ chain, terms, owner }: SourceSide, given: Readonly<Record<string, unknown>> | undefined): void {
  const network = networkOf(chain.reference)
  const own = parseUserKey(owner ?? '', network)
  verifyThat(own !== null || given != null, 'refund_package', 'one with the key of the deposit', given)
  if (given == null) return
  const key = own === null ? given.private_key : null
  if (own === null) {
    // The error may be logged, so it does not show the key.
    verifyThat(publicKeyOf(String(key)) === terms.initiator, 'refund_package.private_key', `the key of ${terms.initiator}`, 'another text')
  }
  const address = own?.address ?? addressOf(owner, network)
  verifySame('refund_package', createRefundPackage(chain, terms, key === null ? null : String(key), address), given)
}

function publicKeyOf(privateKey: string): string | null {
  const bytes = /^[0-9a-f]{64}$/.test(privateKey) ? hexToBytes(privateKey) : null
  return bytes === null || !secp256k1.utils.isValidSecretKey(bytes) ? null : bytesToHex(secp256k1.getPublicKey(bytes, true).subarray(1))
}

/** Coins that are not worth their own input are not spent. */
async function balanceOf({ chain }: HeldAsset, address: string, node: Node): Promise<Balance> {
  const network = networkOf(chain.reference)
  const [utxos, estimate] = await Promise.all([utxosOf(node, address), feeRate(node, NORMAL_TARGET)])
  const rate = boundFeeRate(estimate ?? network.fallbackFeeRate, network)
  const outputs = [HTLC_SCRIPT, scriptOfAddress(address, network)]
  const witnesses: (typeof WALLET_WITNESS)[] = []
  let [balance, spendable] = [0n, 0n]
  for (const { amount } of utxos.toSorted(largestFirst)) {
    balance += amount
    witnesses.push(WALLET_WITNESS)
    const left = balance - (feeOf(estimateVsize(witnesses, outputs), rate) * RESERVED) / OF_FEE
    if (left > spendable) spendable = left
  }
  return { balance, spendable }
}

/** HTLCs are addresses, so there is no contract to check. */
async function verifyNode(chain: Chain, firstBlock: string | undefined, node: Node): Promise<void> {
  const genesisHash = async () => (await hashAt(node, 0)) ?? ''
  assertNoProblem(
    await networkProblem(withFirstBlock(networkOf(chain.reference), firstBlock), { genesisHash, secondHash: () => hashAt(node, 1) }),
  )
  assertFreshTip(chain, (await newestBlock(node)).time)
}
