/** The page of a transaction in the public explorer of its chain. */
import type { Chain } from './chain.ts'

const TX = '{tx}'

/** A URL with `{tx}` in the place of the hash; empty: no explorer shows the transactions. */
export function explorerTxUrl({ explorerUrl, explorerTxUrl: own }: Pick<Chain, 'explorerUrl' | 'explorerTxUrl'>): string {
  return own ?? (explorerUrl === '' ? '' : `${explorerUrl}/tx/${TX}`)
}

/** `pattern`: of `explorerTxUrl`. Null: there is no such page. `tx` may name an output or a block behind a colon. */
export function transactionLink(pattern: string, tx: string): string | null {
  if (!pattern.startsWith('https://') || !pattern.includes(TX)) return null
  return pattern.replace(TX, () => encodeURIComponent(tx.split(':')[0] ?? ''))
}
