/** Imitates a user's wallet on the HyperCore simulator: tokens in a spot account go to the user's account at the HTLC to fund an order. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalChainJson, LocalWallet, OrderToFund } from '@tandem/chain-kit/local/local-chain.ts'
import { type EvmWallet, openEvmWallet } from '@tandem/evm/local/wallet.ts'
import type { Address, Hex } from 'viem'
import { coreTokens } from './core-state-machine.ts'
import { readSpotSendCall, SPOT_BALANCE, spotBalanceInput } from './hyperliquid.ts'

export interface HypercoreWallet extends LocalWallet {
  readonly onEvm: EvmWallet
  /** POST /orders names the transfer. Resolves when the tokens are in the user's account at the HTLC, on HyperCore. */
  moveIn(order: OrderToFund): Promise<void>
  spotBalanceOf(owner: Address): Promise<bigint>
}

const POLL_MS = 50

export function openHypercoreWallet(local: LocalChainJson, privateKey: string): HypercoreWallet {
  const onEvm = openEvmWallet(local, privateKey)
  const { address } = onEvm

  async function spotBalanceOf(owner: Address): Promise<bigint> {
    const call = { to: SPOT_BALANCE, data: spotBalanceInput(owner, coreTokens.purr) }
    const answer = (await onEvm.rpc('eth_call', call, 'latest')) as Hex
    // The first of three words is the total.
    return BigInt(answer.slice(0, 66))
  }

  async function moveIn({ core_to_evm_transfer: transfer }: OrderToFund): Promise<void> {
    if (transfer === undefined) throw new Error('POST /orders named no transfer to the account of the user')
    const send = readSpotSendCall(transfer.data as Hex)
    if (send === null) throw new Error('core_to_evm_transfer is no transfer of a spot account')
    const before = await spotBalanceOf(send.to)
    const tx = await onEvm.send(transfer)
    const { blockNumber } = (await onEvm.rpc('eth_getTransactionReceipt', tx)) as { readonly blockNumber: Hex }
    // In the next block HyperCore has executed the transfer. The money may be on its way to HyperEVM already, for another order.
    while ((await spotBalanceOf(send.to)) <= before && (await head()) <= BigInt(blockNumber)) await sleep(POLL_MS)
  }

  const head = async () => BigInt((await onEvm.rpc('eth_blockNumber')) as Hex)

  return {
    address,
    onEvm,
    balance: () => spotBalanceOf(address),
    moveIn,
    spotBalanceOf,
    async fund(order) {
      await moveIn(order)
      return onEvm.fund(order)
    },
    passTime: onEvm.passTime,
  }
}
