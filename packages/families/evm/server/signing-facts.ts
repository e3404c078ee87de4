import { nonceIn, type SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import { max } from '@tandem/protocol/bigint.ts'
import { accountOf } from '../terms/address.ts'
import { connectNode } from './nodes/connect-node.ts'
import type { EvmOperations } from './signing.ts'

type Unsigned = Parameters<EvmOperations['transaction']>[1]

export const signingFacts: SigningFacts = {
  feeDecimals: 18,
  worstFee(name, [unsigned]) {
    if (name !== 'transaction') return null
    const { gas = 0n, gasPrice = 0n, maxFeePerGas = 0n } = unsigned as Unsigned
    return gas * max(gasPrice, maxFeePerGas)
  },
  marks: (name, [unsigned]) => (name === 'transaction' ? [`nonce ${(unsigned as Unsigned).nonce}`] : []),
  connect(chain, options) {
    const node = connectNode(chain, options)
    return {
      // Nonces are used in order, and the count is of the newest block.
      isUsedByOther: async (mark, key) => (await node.transactionCount(accountOf(key))) > nonceIn(mark),
      close: async () => node.close(),
    }
  },
}
