// Measures compute units, lamports and transaction sizes of every operation of the Solana program, on a real SVM.
import { getTransactionEncoder, type Instruction, type KeyPairSigner } from '@solana/kit'
import { type OrderTerms, orderAddress } from '@tandem/solana/contract/client/addresses.ts'
import { createHtlc, type HtlcFixture, type Kind, kinds, type TestOrder } from '@tandem/solana/contract/testing/order.ts'

export interface SolanaRow {
  readonly operation: string
  readonly computeUnits: number
  /** Null: no limit of its own. */
  readonly limit: number | null
  /** Bytes on the wire. A packet holds 1,232. */
  readonly size: number
  readonly signatures: number
  /** What the operation takes from the rent payer, or returns to it if negative. */
  readonly rent: bigint
}

const limits: Readonly<Record<string, number>> = {
  'SOL initiate': 5_700,
  'SOL redeem': 400,
  'token initiate': 15_000,
  'token redeem': 3_000,
}
const largestTransaction = 1_232
const closedTogether = 10

/** The relayer pays the fees; funder, rent payer and relayer are three keys unless an operation says that one is all of them. */
export async function measureSolana(): Promise<readonly SolanaRow[]> {
  const rows: SolanaRow[] = []
  for (const kind of kinds) rows.push(...(await measureKind(kind)))
  return rows
}

async function measureKind(kind: Kind): Promise<readonly SolanaRow[]> {
  const htlc = await createHtlc(kind)
  const { relayer, funder, rentPayer, initiator, redeemer } = htlc.keys
  const rows: SolanaRow[] = []
  const measure = (operation: string, instructions: readonly Instruction[], signers: readonly KeyPairSigner[], payer = relayer) => {
    const who = signers.includes(payer) ? payer : rentPayer
    const before = htlc.balance(who.address)
    const transaction = htlc.signedBy(instructions, [...new Set([payer, ...signers])], payer.address)
    const { error, computeUnits } = htlc.submit(transaction)
    if (error !== null) throw new Error(`${operation}: ${error}`)
    const signatures = Object.keys(transaction.signatures).length
    const fee = who === payer ? BigInt(signatures) * lamportsPerSignature : 0n
    const spentOnOrder = kind === 'SOL' && who === payer && payer !== relayer ? orderAmount : 0n
    rows.push({
      operation: `${kind} ${operation}`,
      computeUnits: Math.ceil(computeUnits / instructions.length),
      limit: limits[`${kind} ${operation}`] ?? null,
      size: getTransactionEncoder().encode(transaction).length,
      signatures,
      rent: (before - htlc.balance(who.address) - fee - spentOnOrder) / BigInt(instructions.length),
    })
    htlc.svm.expireBlockhash()
  }

  const newOrder = (terms: Partial<OrderTerms> = { amount: orderAmount }): TestOrder => {
    for (;;) {
      const order = htlc.newOrder(terms)
      // The program searches for the bump: 1,500 units for each one below this.
      if (orderAddress(htlc.program, order.terms).bump === highestBump) return order
    }
  }
  measure('initiate', [htlc.initiate(newOrder(), initiator.address, initiator.address)], [initiator], initiator)
  measure(
    'initiate, rent and fee paid by the relayer',
    [htlc.initiate(newOrder(), initiator.address, relayer.address)],
    [initiator, relayer],
  )
  const onBehalf = newOrder()
  measure('initiate, funded by another', [htlc.initiate(onBehalf)], [funder, rentPayer])
  const prefunded = newOrder()
  for (const address of kind === 'SOL' ? [prefunded.address] : [prefunded.address, prefunded.vault])
    htlc.putAccount(address, '11111111111111111111111111111111' as typeof address, new Uint8Array(0), htlc.rent(0))
  measure('initiate, lamports sent before', [htlc.initiate(prefunded)], [funder, rentPayer])
  measure('redeem', [htlc.redeem(await htlc.open())], [])
  measure('instant refund', [htlc.instantRefund(await htlc.open())], [redeemer])
  const expired = await htlc.open()
  htlc.expire(expired)
  measure('refund', [htlc.refund(expired)], [])
  const settled = await settledOrders(htlc, closedTogether + 1)
  htlc.moveTo({ time: settled[0]?.initiateBefore ?? 0n })
  measure(
    'close',
    settled.slice(0, 1).map((order) => htlc.close(order)),
    [],
  )
  measure(
    `close, ${closedTogether} together, each`,
    settled.slice(1).map((order) => htlc.close(order)),
    [],
  )
  return rows
}

const highestBump = 255
const orderAmount = 5_000_000n
const lamportsPerSignature = 5_000n

async function settledOrders(htlc: HtlcFixture, count: number): Promise<readonly TestOrder[]> {
  const orders: TestOrder[] = []
  while (orders.length < count) {
    const order = await htlc.open()
    await htlc.sendSigned([htlc.redeem(order)])
    orders.push(order)
  }
  return orders
}

export function isWithinLimits({ computeUnits, limit, size }: SolanaRow): boolean {
  return size <= largestTransaction && (limit === null || computeUnits <= limit)
}
