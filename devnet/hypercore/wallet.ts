/** A user's wallet on the HyperCore simulator: tokens in a spot account, brought to HyperEVM to fund an order. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { SPOT_BALANCE, spotBalanceQuestion } from '../../src/chains/hypercore/core.ts'
import { type EvmWallet, openEvmWallet } from '../evm/wallet.ts'
import type { LocalChainJson, LocalWallet, OrderToFund } from '../local-chain.ts'
import { coreTokens } from './core-state-machine.ts'

export interface HypercoreWallet extends LocalWallet {
  /** The same account on HyperEVM. */
  readonly onEvm: EvmWallet
  /** Sends the transfer that POST /orders names. Resolves when the tokens are on HyperEVM. */
  bringToEvm(order: OrderToFund): Promise<void>
}

const ARRIVAL_LIMIT_MS = 30_000
const POLL_MS = 50

export function openHypercoreWallet(local: LocalChainJson, privateKey: string): HypercoreWallet {
  const onEvm = openEvmWallet(local, privateKey)
  const { address } = onEvm
  const [token] = Object.values(local.assets).map((asset) => asset.token)

  async function spotBalance(): Promise<bigint> {
    const call = { to: SPOT_BALANCE, data: spotBalanceQuestion(address, coreTokens.purr) }
    const answer = (await onEvm.rpc('eth_call', call, 'latest')) as Hex
    // The first of three words is the total.
    return BigInt(answer.slice(0, 66))
  }

  async function bringToEvm({ core_to_evm_transfer: transfer }: OrderToFund): Promise<void> {
    if (transfer === undefined) throw new Error('POST /orders named no transfer to HyperEVM')
    const before = await onEvm.balanceOf(address, token)
    await onEvm.send(transfer)
    const end = Date.now() + ARRIVAL_LIMIT_MS
    while ((await onEvm.balanceOf(address, token)) <= before) {
      if (Date.now() > end) throw new Error('the tokens did not arrive on HyperEVM')
      await sleep(POLL_MS)
    }
  }

  return {
    address,
    onEvm,
    balance: spotBalance,
    bringToEvm,
    async fund(order) {
      await bringToEvm(order)
      return onEvm.fund(order)
    },
    passTime: onEvm.passTime,
  }
}
