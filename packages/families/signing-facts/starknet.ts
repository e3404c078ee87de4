import { accountOf } from '@tandem/starknet/server/account.ts'
import { highestFee } from '@tandem/starknet/server/fees/fees.ts'
import { connectNode } from '@tandem/starknet/server/nodes/connect-node.ts'
import type { Envelope } from '@tandem/starknet/server/send/transaction-hash.ts'
import { feltOf } from '@tandem/starknet/terms/address.ts'
import { starknetDataOf } from '@tandem/starknet/terms/chain-data.ts'
import { numberIn, type SigningFacts } from './facts.ts'

const TRANSACTIONS: ReadonlySet<string> = new Set(['invoke', 'deployAccount'])

export const facts: SigningFacts = {
  feeDecimals: 18,
  worstFee(name, [envelope]) {
    if (!TRANSACTIONS.has(name)) return null
    const { gas, fees } = envelope as Envelope
    return highestFee(gas, fees)
  },
  marks: (name, [envelope]) => (TRANSACTIONS.has(name) ? [`nonce ${(envelope as Envelope).nonce}`] : []),
  connect(chain, options) {
    const node = connectNode(chain, options)
    const { accountClass } = starknetDataOf(chain)
    return {
      isUsedByOther: async (mark, key) => (await node.nonce(feltOf(accountOf(key, accountClass)))) > numberIn(mark),
      close: async () => node.close(),
    }
  },
}
