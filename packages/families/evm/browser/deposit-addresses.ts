/** Deposit addresses for users: they compute the address, and take their money out without the service. */

import type { DepositAddresses, DepositSide, HeldAsset, Node, Sender } from '@tandem/chain-kit/browser/family.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { parseAddress } from '../terms/address.ts'
import { depositAddressOf, initiateDepositData, reclaimDepositedData } from '../terms/deposit.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import type { EvmWallet } from './wallet.ts'

export function depositAddresses(contractOf: (of: HeldAsset) => HtlcContract): DepositAddresses<EvmWallet> {
  async function send({ chain, ...side }: DepositSide, data: Hex, { wallet }: Sender<EvmWallet>): Promise<string> {
    const { chainId, address: to } = contractOf({ chain, ...side })
    return (await wallet.send(chainId, { from: await wallet.address(chain), to, data, value: 0n })).hash
  }

  return {
    addressOf: (side) => depositAddressOf(contractOf(side), side),
    amountAt: (side, node) => amountAt(contractOf(side), depositAddressOf(contractOf(side), side), node),
    initiate: (side, by) => send(side, initiateDepositData(contractOf(side), side), by),
    giveBack(side, by, token) {
      const contract = contractOf(side)
      const which = token === undefined ? contract.token : token === null ? null : parseAddress(token)
      return send(side, reclaimDepositedData(contract, side, which), by)
    },
  }
}

/** `path` is the path of the JSON-RPC below the node's URL. */
export async function amountAt({ token }: HtlcContract, address: Address, node: Node, path = ''): Promise<bigint> {
  if (token === null) return BigInt(String(await jsonRpc(node, 'eth_getBalance', [address, 'latest'], path)))
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
  const answer = String(await jsonRpc(node, 'eth_call', [{ to: token, data }, 'latest'], path))
  return BigInt(answer === '0x' ? 0 : answer)
}
