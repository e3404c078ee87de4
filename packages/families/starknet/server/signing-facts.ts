import { nonceIn, type SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import { feltOf } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import { accountOf } from './account.ts'
import { highestFee } from './fees/fees.ts'
import { connectNode } from './nodes/connect-node.ts'
import type { Envelope } from './send/transaction-hash.ts'

const TRANSACTIONS: ReadonlySet<string> = new Set(['invoke', 'deployAccount'])

export const signingFacts: SigningFacts = {
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
      isUsedByOther: async (mark, key) => (await node.nonce(feltOf(accountOf(key, accountClass)))) > nonceIn(mark),
      close: async () => node.close(),
    }
  },
}
