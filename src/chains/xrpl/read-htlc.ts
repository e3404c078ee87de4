/** Reads escrows of a swap at the newest validated ledger. One that has ended is not in the ledger any more. */
import type { Chain } from '../../protocol/chain.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import type { DepositReading, HtlcReading } from '../port/htlc-reading.ts'
import { readingOf } from '../providers/htlc-reading.ts'
import { isEscrowOf, parseDeposit, swapIdOf } from './htlc.ts'
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
