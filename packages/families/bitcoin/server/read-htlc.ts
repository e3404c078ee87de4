/** Reads deposits of an HTLC: outputs that pay its script, and that no transaction spends, in a block or in the mempool. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { DepositReading, HtlcReading } from '@tandem/chain-kit/port/htlc-reading.ts'
import { readingOf } from '@tandem/chain-kit/providers/htlc-reading.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { htlcOf } from '../terms/htlc.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'
import type { BitcoinBackend } from './nodes/backend.ts'

type Source = { readonly chain: Chain; readonly network: BitcoinNetwork; readonly backend: Pick<BitcoinBackend, 'unspentOutput'> }

export function readHtlc({ chain, network, backend }: Source, terms: HtlcTerms, deposits: readonly string[]): Promise<HtlcReading> {
  const { address, script } = htlcOf(terms, network)
  const read = async (id: string): Promise<DepositReading> => {
    const output = await backend.unspentOutput(id)
    const isOpen = output !== null && bytesToHex(output.script) === bytesToHex(script)
    return isOpen ? { id, state: 'open', amount: output.amount } : { id, state: 'gone' }
  }
  return readingOf(chain.id, address, () => Promise.all(deposits.map(read)))
}
