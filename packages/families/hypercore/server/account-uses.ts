/** What other orders of an owner take from its account: two initiations must not count on the same money, or one of them reverts at our cost. */

import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import type { Signed } from '@tandem/evm/server/send/transaction.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import { type Address, encodeEventTopics, erc20Abi, getAbiItem, toEventSelector } from 'viem'
import { takenBy, tokenOf } from '../terms/htlc.ts'

/** What initiations of other orders take that we have signed and that are not mined. `others`: all that we have signed for other orders lately. */
export async function takenInFlight(node: EvmNode, contract: HtlcContract, owner: Address, others: readonly Signed[]): Promise<bigint> {
  const initiations = others.flatMap(({ call, nonce, tx }) => {
    const taken = call.to === contract.address ? takenBy(call.data) : null
    return taken?.owner === owner ? [{ amount: taken.amount, nonce, tx }] : []
  })
  // Attempts with bumped fees have one nonce: at most one of them is mined.
  const amounts = new Map(initiations.map(({ nonce, amount }) => [nonce, amount]))
  const outcomes = await Promise.all(initiations.map(({ tx }) => node.outcome(tx)))
  for (const [index, { nonce }] of initiations.entries()) if (outcomes[index] !== null) amounts.delete(nonce)
  return [...amounts.values()].reduce((sum, amount) => sum + amount, 0n)
}

/** Within so many blocks an order takes money that has arrived in the account. */
const MOST_BLOCKS = 100n

const INITIATED = toEventSelector(getAbiItem({ abi: htlcCore.abi, name: 'Initiated' }))

/**
 * Money of the account was locked at this height or above, by us or by a transaction of the owner. A withdrawal goes through the HTLC too, but initiates
 * nothing; an owner who does both at once pays more for it than we do for a crossing.
 */
export async function wasLocked(node: EvmNode, contract: HtlcContract, account: Address, height: bigint): Promise<boolean> {
  const [transfer, ...parties] = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: account, to: contract.address } })
  const newest = await node.block('latest')
  if (newest === null || newest.height < height) return false
  const to = newest.height < height + MOST_BLOCKS ? newest.height : height + MOST_BLOCKS
  const query = { addresses: [tokenOf(contract), contract.address], events: [transfer, INITIATED], from: height, to }
  const logs = await node.logs(query).catch((error: unknown) => {
    throw asChainFailure(error, `transfers from ${account}`)
  })
  const initiations = new Set(logs.filter(({ topics }) => topics[0] === INITIATED).map(({ tx }) => tx))
  return logs.some(
    ({ topics, tx }) => initiations.has(tx) && topics[0] === transfer && parties.every((party, at) => topics[at + 1] === party),
  )
}
