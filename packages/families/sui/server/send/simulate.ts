/** Simulates commands of an account, with gas that does not exist. */
import type { Transaction } from '@mysten/sui/transactions'
import type { Address } from '../../terms/address.ts'
import { buildTransaction } from '../../terms/send/transaction.ts'
import { gasPrice } from '../fees/gas.ts'
import type { Simulation, SuiNode } from '../nodes/node.ts'

/** No transaction may have a larger budget. */
const MAX_BUDGET = 50_000_000_000n

export async function simulateCommands(
  node: Pick<SuiNode, 'simulate' | 'epoch'>,
  sender: Address,
  tx: Transaction,
): Promise<Simulation & { readonly price: bigint }> {
  const epoch = await node.epoch()
  const price = gasPrice(epoch, 0)
  const bytes = await buildTransaction(tx, { sender, price, budget: MAX_BUDGET, lastEpoch: epoch.number, payment: [] })
  return { ...(await node.simulate(bytes)), price }
}
