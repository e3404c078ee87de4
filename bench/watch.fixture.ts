/** Watched swaps, and a chain with full blocks and a mempool: the same at every run. */
import {
  hashOf,
  type MadeBlock,
  type MadeTransaction,
  makeBlock,
  makeTransaction,
  taprootScript,
} from '@tandem/bitcoin/server/blocks/block.fixture.ts'
import type { Size } from './bench.ts'

export const BLOCK_TRANSACTIONS: Readonly<Record<Size, number>> = { full: 4_000, smallest: 100 }
export const MEMPOOL_TRANSACTIONS: Readonly<Record<Size, number>> = { full: 20_000, smallest: 1_000 }
/** New in the mempool between two polls. */
export const FRESH_TRANSACTIONS = 100
/** Blocks below the full ones: as far as the first poll goes back. */
export const EMPTY_BLOCKS = 10

const DEPOSITS_PER_BLOCK = 5
const SPENDS_PER_BLOCK = 2
const FIRST_TIME = 1_700_000_000
const STRANGERS = 1_000_000_000
/** In place of the number of a block. */
const MEMPOOL = 1_000
/** As a wallet's signature and key are in a witness. */
const WITNESS = [new Uint8Array(71).fill(0x30), new Uint8Array(33).fill(0x02)]

/** The taproot output where the swap of order `n` lives. */
export function swapKey(n: number): string {
  return hashOf(n)
}

export function makeFullBlocks(count: number, size: Size): readonly MadeBlock[] {
  const blocks: MadeBlock[] = []
  let deposits: readonly string[] = []
  for (let height = 0; height < EMPTY_BLOCKS + count; height++) {
    const number = height - EMPTY_BLOCKS
    const transactions = number < 0 ? [] : makeTransactions(number, deposits, BLOCK_TRANSACTIONS[size])
    deposits = transactions.slice(0, DEPOSITS_PER_BLOCK).map(({ txid }) => `${txid}:0`)
    blocks.push(makeBlock(blocks.at(-1)?.hash ?? '00'.repeat(32), FIRST_TIME + height * 600, transactions))
  }
  return blocks
}

/** One of a thousand is a deposit to a watched swap. */
export function makeMempool(count: number): readonly MadeTransaction[] {
  return Array.from({ length: count }, (_, n) => (n % 1000 === 500 ? deposit(MEMPOOL, n, n / 100) : stranger(MEMPOOL, n)))
}

/** Deposits to watched swaps first, spends of the last block's last. */
function makeTransactions(block: number, deposits: readonly string[], count: number): readonly MadeTransaction[] {
  const paid = Array.from({ length: DEPOSITS_PER_BLOCK }, (_, i) => deposit(block, -1 - i, block * DEPOSITS_PER_BLOCK + i))
  const spent = deposits.slice(0, SPENDS_PER_BLOCK).map((deposit) => makeTransaction([deposit], [walletOutput(block)], WITNESS))
  const rest = count - paid.length - spent.length
  return [...paid, ...Array.from({ length: rest }, (_, n) => stranger(block, n)), ...spent]
}

function deposit(block: number, n: number, order: number): MadeTransaction {
  return makeTransaction([coin(block, n)], [{ script: taprootScript(swapKey(order)), amount: 100_000n }], WITNESS)
}

/** One to three inputs, two or three outputs, of which every second is taproot. */
function stranger(block: number, n: number): MadeTransaction {
  const inputs = Array.from({ length: 1 + (n % 3) }, (_, i) => coin(block, n * 4 + i))
  const outputs = Array.from({ length: 2 + (n % 2) }, (_, i) =>
    (n + i) % 2 === 0 ? { script: taprootScript(hashOf(STRANGERS + block * 100_000 + n * 4 + i)), amount: 5_000n } : walletOutput(n),
  )
  return makeTransaction(inputs, outputs, WITNESS)
}

function coin(block: number, n: number): string {
  return `${hashOf(2 * STRANGERS + block * 1_000_000 + n)}:${Math.abs(n) % 7}`
}

function walletOutput(n: number) {
  return { script: Uint8Array.of(0, 20, ...new Uint8Array(20).fill(n % 251)), amount: 7_000n }
}
