// A regtest chain on a real node is ready for use: a wallet with spendable coins, and every consensus rule active.
import { formatUnits } from '@tandem/protocol/amount.ts'
import { type CoreNode, startCoreNode } from './core-node.ts'
import type { NodeName } from './packages.ts'

export type RealChain = {
  readonly node: CoreNode
  readonly walletAddress: string
  pay(address: string, amount: bigint): Promise<string>
  mine(blocks: number): Promise<void>
  close(): Promise<void>
}

const WALLET = 'tests'

/** These blocks pay the wallet. They are few, because a wallet with many coins is slow to pay. */
const OWN_BLOCKS = 30
/** Rewards mature after 100 blocks. Litecoin Core activates CSV, which refunds need, at height 432. */
const FIRST_BLOCKS: Readonly<Record<NodeName, number>> = { bitcoind: 130, litecoind: 432 }

export const startRealChain = async (name: NodeName): Promise<RealChain> => {
  const node = await startCoreNode(name)
  try {
    await node.rpc('createwallet', [WALLET])
    const wallet = node.walletRpc(WALLET)
    const walletAddress = await wallet<string>('getnewaddress')
    await node.rpc('createwallet', ['miner'])
    const miner = await node.walletRpc('miner')<string>('getnewaddress')
    await node.rpc('unloadwallet', ['miner'])
    const mine = async (blocks: number, address = miner): Promise<void> => void (await node.rpc('generatetoaddress', [blocks, address]))
    const pay = (address: string, amount: bigint) => wallet<string>('sendtoaddress', [address, formatUnits(amount, 8)])
    await mine(OWN_BLOCKS, walletAddress)
    await mine(FIRST_BLOCKS[name] - OWN_BLOCKS)
    return {
      node,
      walletAddress,
      pay,
      mine: (blocks) => mine(blocks),
      close: node.stop,
    }
  } catch (error) {
    await node.stop()
    throw error
  }
}
