/** The page of a transaction in the public explorer of its chain. */
import type { Chain } from './chain.ts'

const TX = '{tx}'

/** The URL has `{tx}` in the place of the hash. It is empty if no explorer shows the transactions. */
export function explorerTxUrl({ explorerUrl, explorerTxUrl: own }: Pick<Chain, 'explorerUrl' | 'explorerTxUrl'>): string {
  return own ?? (explorerUrl === '' ? '' : `${explorerUrl}/tx/${TX}`)
}

/** `pattern` is a result of `explorerTxUrl`. Returns null if there is no such page. `tx` may name an output or a block behind a colon. */
export function transactionLink(pattern: string, tx: string): string | null {
  if (!pattern.startsWith('https://') || !pattern.includes(TX)) return null
  return pattern.replace(TX, () => encodeURIComponent(tx.split(':')[0] ?? ''))
}
