/** Refunds and redeems by a wallet, on chains with the contract of EVM. */

import type { HeldAsset, PinnedContract, SdkFamily } from '@tandem/chain-kit/browser/family.ts'
import { type HtlcContract, redeemData, refundData } from '../terms/htlc.ts'
import type { EvmWallet } from './wallet.ts'

type Settling = Required<Pick<SdkFamily<unknown, EvmWallet>, 'refund' | 'redeem' | 'redeemCall' | 'refundCall' | 'findLocks'>>

export function settling(contractOf: (of: HeldAsset) => HtlcContract): Settling {
  return {
    async refund(side, { wallet }) {
      const { chainId, address: to } = contractOf(side)
      return (await wallet.send(chainId, { from: side.terms.initiator, to, data: refundData(side.terms), value: 0n })).hash
    },
    async redeem(side, secret, { wallet }) {
      const { chainId, address: to } = contractOf(side)
      const from = await wallet.address(side.chain)
      return (await wallet.send(chainId, { from, to, data: redeemData(side.terms, secret), value: 0n })).hash
    },
    redeemCall: (side, secret) => ({ chain: side.chain.id, to: contractOf(side).address, data: redeemData(side.terms, secret) }),
    refundCall: (side) => ({ chain: side.chain.id, to: contractOf(side).address, data: refundData(side.terms) }),
    async findLocks(search, node) {
      const { findLocks } = await import('./find-locks.ts')
      const contractOfAsset = (of: PinnedContract) => contractOf({ ...of, chain: search.chain })
      return findLocks(search, node, { contractOf: contractOfAsset, partyOf: (address) => address })
    },
  }
}
