// Pays tokens into spot accounts, and gas to accounts of the simulated HyperEVM.

import { createEvmSender } from '@tandem/evm/local/evm-sender.ts'
import type { Address, Hex } from 'viem'
import { coreTokens } from './core-state-machine.ts'
import type { HypercoreChain } from './hypercore-chain.ts'
import { spotSendCall, WEI_PER_HYPE_UNIT } from './hyperliquid.ts'

export interface HypercoreFaucet {
  /**
   * The account is activated if need be, and gets a little of the quote token, which the first transfer to a new account costs. Resolves to
   * the transaction hash once the token is there.
   */
  fundUser(to: Address, token: bigint, amount: bigint): Promise<Hex>
  /** Activates the account if need be. Resolves to the transaction hash once the token is there. */
  fundSpot(to: Address, token: bigint, amount: bigint): Promise<Hex>
  /** HYPE is the fee coin on HyperEVM. The spot account needs some to send tokens to HyperEVM, so it gets the same amount. */
  fundHype(to: Address, wei: bigint): Promise<Hex>
  /** Transactions on HyperEVM need HYPE, and so do transfers from HyperCore to HyperEVM. */
  fundGas(to: Address): Promise<void>
}

const GAS = 1_000n * 10n ** 18n
const CORE_GAS = 10n * 10n ** 8n
/** One quote token opens the user's account at the HTLC, the other one is spare. */
const DOLLARS = 2n * 10n ** 8n

/** The account of the key must be one that the chain was started with. */
export function createHypercoreFaucet(chain: HypercoreChain, key: Hex): HypercoreFaucet {
  const sender = createEvmSender(chain, key)
  const spotSend = (to: Address, token: bigint, amount: bigint) => spotSendCall({ to, token, amount })
  return {
    async fundUser(to, token, amount) {
      const [receipt] = await sender.send([spotSend(to, token, amount), spotSend(to, coreTokens.usdc, DOLLARS)])
      if (receipt === undefined) throw new Error('no receipt for a mined transaction')
      return receipt.transactionHash
    },
    async fundSpot(to, token, amount) {
      const [receipt] = await sender.send([spotSend(to, token, amount)])
      if (receipt === undefined) throw new Error('no receipt for a mined transaction')
      return receipt.transactionHash
    },
    async fundHype(to, wei) {
      const inCore = wei / WEI_PER_HYPE_UNIT
      const [receipt] = await sender.send([{ to, value: wei }, ...(inCore > 0n ? [spotSend(to, coreTokens.hype, inCore)] : [])])
      if (receipt === undefined) throw new Error('no receipt for a mined transaction')
      return receipt.transactionHash
    },
    async fundGas(to) {
      await sender.send([{ to, value: GAS }, spotSend(to, coreTokens.hype, CORE_GAS)])
    },
  }
}
