// Pays coins of one currency to an address, inside the process.
import type { Transaction } from '@mysten/sui/transactions'
import { Inputs } from '@mysten/sui/transactions'
import { refOf } from './grpc/gas-selection.ts'
import type { LocalSender } from './local-sender.ts'
import { SUI_TYPE } from './objects/types.ts'

/** Each amount is one coin. Resolves to the digest of the transaction. */
export async function payCoins(sender: LocalSender, coinType: string, address: string, amounts: readonly bigint[]): Promise<string> {
  const { transaction } = await sender.execute((tx) => {
    const coins = tx.splitCoins(source(sender, tx, coinType), [...amounts])
    tx.transferObjects(
      amounts.map((_, index) => coins[index] ?? coins),
      address,
    )
  })
  return transaction.digest
}

function source(sender: LocalSender, tx: Transaction, coinType: string) {
  if (coinType === SUI_TYPE) return tx.gas
  const [coin] = sender.coins(coinType)
  if (coin === undefined) throw new Error(`${sender.address} has no ${coinType}`)
  return tx.object(Inputs.ObjectRef(refOf(coin)))
}
