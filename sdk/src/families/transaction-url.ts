/** The page of a transaction in the public explorer of its chain, by the bundled registry. */
import { explorerTxUrl, transactionLink } from '../../../src/protocol/explorer.ts'

/** Null: no explorer shows it. Throws for a chain that is not known. */
export async function transactionUrl(chain: string, tx: string): Promise<string | null> {
  const { chainNamed } = await import('../verify/pinned.ts')
  return transactionLink(explorerTxUrl(chainNamed(chain)), tx)
}
