/** Deposit addresses for users of Tron: they compute the address, and take their money out without the service. */

import type { DepositAddresses, DepositSide, HeldAsset, Sender } from '@tandem/chain-kit/browser/family.ts'
import { amountAt } from '@tandem/evm/browser/deposit-addresses.ts'
import { initiateDepositData, reclaimDepositedData } from '@tandem/evm/terms/deposit.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import type { Hex } from 'viem'
import { fromEvmAddress, toEvmAddress } from '../terms/address.ts'
import { evmSwap, tronDepositAddress } from '../terms/deposit.ts'
import { JSON_RPC_PATH } from '../terms/facts.ts'
import { type FeeVerb, feeCapSun } from '../terms/fees/limits.ts'
import type { TronWallet } from './wallet.ts'

export function depositAddresses(contractOf: (of: HeldAsset) => HtlcContract): DepositAddresses<TronWallet> {
  const addressOf = (side: DepositSide) => tronDepositAddress(side.chain, contractOf(side), side)

  async function send(side: DepositSide, verb: FeeVerb, data: Hex, { wallet }: Sender<TronWallet>): Promise<string> {
    const [from, to] = [await wallet.address(side.chain), fromEvmAddress(contractOf(side).address)]
    return (await wallet.send({ from, to, data, feeLimitSun: feeCapSun[verb] })).hash
  }

  return {
    addressOf: (side) => fromEvmAddress(addressOf(side)),
    amountAt: (side, node) => amountAt(contractOf(side), addressOf(side), node, JSON_RPC_PATH),
    initiate: (side, by) => send(side, 'initiate', initiateDepositData(contractOf(side), evmSwap(side)), by),
    giveBack(side, by, token) {
      const contract = contractOf(side)
      const which = token === undefined ? contract.token : token === null ? null : toEvmAddress(token)
      return send(side, 'reclaim', reclaimDepositedData(contract, evmSwap(side), which), by)
    },
  }
}
