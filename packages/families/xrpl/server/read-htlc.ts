/** Reads escrows of a swap at the newest validated ledger. One that has ended is not in the ledger any more. */

import type { DepositReading, HtlcReading } from '@tandem/chain-kit/port/htlc-reading.ts'
import { readingOf } from '@tandem/chain-kit/providers/htlc-reading.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { isEscrowOf, parseDeposit, swapIdOf } from '../terms/htlc.ts'
import type { XrplNode } from './nodes/node.ts'
import { newestOf } from './nodes/shared-node.ts'

type Reader = Pick<XrplNode, 'block' | 'escrow'>

export function readHtlc(node: Reader, { id: chain }: Chain, terms: HtlcTerms, deposits: readonly string[]): Promise<HtlcReading> {
  const read = async (id: string, ledger: bigint): Promise<DepositReading> => {
    const { owner, sequence } = parseDeposit(id)
    const found = await node.escrow(owner, sequence, ledger)
    const isOpen = found !== null && found !== 'other' && owner === terms.initiator && isEscrowOf(terms, found)
    return isOpen ? { id, state: 'open', amount: found.amount } : { id, state: 'gone' }
  }
  return readingOf(chain, swapIdOf(chain, terms), async () => {
    if (deposits.length === 0) return []
    const { height } = await newestOf(node)
    return Promise.all(deposits.map((id) => read(id, height)))
  })
}
