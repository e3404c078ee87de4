/** Funds any address of a local chain with native coin and test tokens. */
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { testToken } from '../contract/artifacts/test-token.ts'
import type { EvmChain } from './evm-chain.ts'
import { createEvmSender } from './evm-sender.ts'

export interface EvmFaucet {
  fundNative(to: Address, amount: bigint): Promise<Hex>
  /** Test tokens have no fixed supply, so this mints. */
  fundToken(token: Address, to: Address, amount: bigint): Promise<Hex>
}

export function createEvmFaucet(chain: EvmChain, key: Hex): EvmFaucet {
  const sender = createEvmSender(chain, key)

  async function sendOne(transaction: { to: Address; data?: Hex; value?: bigint }): Promise<Hex> {
    const [receipt] = await sender.send([transaction])
    if (receipt === undefined) throw new Error('no receipt for a mined transaction')
    return receipt.transactionHash
  }

  return {
    fundNative: (to, amount) => sendOne({ to, value: amount }),
    fundToken: (token, to, amount) =>
      sendOne({ to: token, data: encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [to, amount] }) }),
  }
}
