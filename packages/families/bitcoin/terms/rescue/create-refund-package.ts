/** Makes a refund package as a pure function: the SDK compares the service's package with its own. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { RefundPackage } from '@tandem/chain-kit/port/abilities/rescue.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type BitcoinHtlc, htlcOf } from '../htlc.ts'
import { networkOf } from '../networks.ts'

export const VERSION = 1

type LeafRecord = { readonly script: string; readonly control_block: string }

export type BitcoinRefundPackage = RefundPackage & {
  readonly family: 'bitcoin'
  readonly version: typeof VERSION
  readonly network: string
  readonly address: string
  readonly terms: {
    readonly asset: string
    readonly initiator: string
    readonly redeemer: string
    readonly amount: string
    readonly secret_hash: string
    readonly timelock: string
  }
  readonly script_tree: {
    readonly internal_key: string
    readonly redeem: LeafRecord
    readonly refund: LeafRecord
    readonly instant_refund: LeafRecord
  }
  readonly private_key: string | null
  readonly refund_address: string | null
}

/** `privateKey` has 32 bytes in hex. It is null when the initiator has it already. */
export function createRefundPackage(
  chain: Chain,
  terms: HtlcTerms,
  privateKey: string | null,
  refundAddress: string | null,
): BitcoinRefundPackage {
  const htlc = htlcOf(terms, networkOf(chain.reference))
  return {
    family: 'bitcoin',
    version: VERSION,
    chain: chain.id,
    network: chain.reference,
    address: htlc.address,
    terms: {
      asset: terms.asset,
      initiator: terms.initiator,
      redeemer: terms.redeemer,
      amount: terms.amount.toString(),
      secret_hash: terms.secretHash,
      timelock: terms.timelock.toString(),
    },
    script_tree: treeOf(htlc),
    private_key: privateKey,
    refund_address: refundAddress,
  }
}

export function treeOf({ redeem, refund, instantRefund }: BitcoinHtlc): BitcoinRefundPackage['script_tree'] {
  const leaf = ({ script, controlBlock }: BitcoinHtlc['refund']) => ({
    script: bytesToHex(script),
    control_block: bytesToHex(controlBlock),
  })
  return {
    // BIP341: a control block has one byte for version and parity, then the internal key.
    internal_key: bytesToHex(redeem.controlBlock.subarray(1, 33)),
    redeem: leaf(redeem),
    refund: leaf(refund),
    instant_refund: leaf(instantRefund),
  }
}
