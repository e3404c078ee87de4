// Compute units and sizes of the Solana program have ceilings, so that a change that costs users money fails.
import { getTransactionEncoder, type Instruction, type KeyPairSigner } from '@solana/kit'
import { depositAddress, type OrderTerms, orderAddress } from '@tandem/solana/contract/client/addresses.ts'
import {
  associatedTokensWithBump,
  createHtlc,
  type HtlcFixture,
  type Kind,
  kinds,
  type TestOrder,
} from '@tandem/solana/contract/testing/order.ts'
import { expect, it } from 'vitest'

interface SolanaRow {
  readonly operation: string
  readonly computeUnits: number
  /** This is null if the operation has no limit of its own. */
  readonly limit: number | null
  /** The size is in bytes on the wire. A packet holds 1,232. */
  readonly size: number
  /** The operation takes these lamports from the rent payer; they are negative if it returns them. */
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

/** The relayer pays the fees. Funder, rent payer and relayer are three keys unless an operation says otherwise. */
async function measureSolana(): Promise<readonly SolanaRow[]> {
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
    const count = instructions.filter(({ programAddress }) => programAddress === htlc.program).length
    const signatures = Object.keys(transaction.signatures).length
    const fee = who === payer ? BigInt(signatures) * lamportsPerSignature : 0n
    const spentOnOrder = kind === 'SOL' && who === payer && payer !== relayer ? orderAmount : 0n
    rows.push({
      operation: `${kind} ${operation}`,
      computeUnits: Math.ceil(computeUnits / count),
      limit: limits[`${kind} ${operation}`] ?? null,
      size: getTransactionEncoder().encode(transaction).length,
      rent: (before - htlc.balance(who.address) - fee - spentOnOrder) / BigInt(count),
    })
    htlc.svm.expireBlockhash()
  }

  const newOrder = (terms: Partial<OrderTerms> = { amount: orderAmount }): TestOrder => {
    for (;;) {
      const order = htlc.newOrder(terms)
      // The program searches for the bump: each one below this costs 1,500 units.
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
  const consented = await htlc.open()
  measure('instant refund by consent', [htlc.consent(consented), htlc.consentedRefund(consented)], [])
  const expired = await htlc.open()
  htlc.expire(expired)
  measure('refund', [htlc.refund(expired)], [])
  const deposited = newDeposit(htlc, newOrder)
  await htlc.deposit(deposited, 2n * orderAmount)
  measure('initiate deposited', [htlc.initiateDeposited(deposited)], [rentPayer])
  measure('return deposit', [htlc.returnDeposit(deposited)], [])
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

/** The program searches for three bumps. */
function newDeposit(htlc: HtlcFixture, newOrder: () => TestOrder): TestOrder {
  for (;;) {
    const order = newOrder()
    const { address: owner, bump } = depositAddress(htlc.program, order.terms, order.initiateBefore)
    if (bump !== highestBump) continue
    if (htlc.kind === 'SOL' || associatedTokensWithBump(owner, htlc.mint).bump === highestBump) return order
  }
}
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

function isWithinLimits({ computeUnits, limit, size }: SolanaRow): boolean {
  return size <= largestTransaction && (limit === null || computeUnits <= limit)
}

const ceilings: Readonly<Record<string, { readonly computeUnits: number; readonly size: number }>> = {
  'SOL initiate': { computeUnits: 3_268, size: 336 },
  'SOL initiate, rent and fee paid by the relayer': { computeUnits: 4_445, size: 432 },
  'SOL initiate, funded by another': { computeUnits: 4_445, size: 560 },
  'SOL initiate, lamports sent before': { computeUnits: 6_714, size: 560 },
  'SOL redeem': { computeUnits: 383, size: 277 },
  'SOL instant refund': { computeUnits: 297, size: 342 },
  'SOL instant refund by consent': { computeUnits: 2_175, size: 506 },
  'SOL refund': { computeUnits: 418, size: 245 },
  'SOL initiate deposited': { computeUnits: 6_192, size: 496 },
  'SOL return deposit': { computeUnits: 4_601, size: 432 },
  'SOL close': { computeUnits: 353, size: 245 },
  'SOL close, 10 together, each': { computeUnits: 353, size: 650 },
  'token initiate': { computeUnits: 7_136, size: 468 },
  'token initiate, rent and fee paid by the relayer': { computeUnits: 7_136, size: 564 },
  'token initiate, funded by another': { computeUnits: 7_136, size: 692 },
  'token initiate, lamports sent before': { computeUnits: 10_551, size: 692 },
  'token redeem': { computeUnits: 2_991, size: 343 },
  'token instant refund': { computeUnits: 3_080, size: 408 },
  'token instant refund by consent': { computeUnits: 4_958, size: 572 },
  'token refund': { computeUnits: 3_201, size: 311 },
  'token initiate deposited': { computeUnits: 10_154, size: 628 },
  'token return deposit': { computeUnits: 6_288, size: 531 },
  'token close': { computeUnits: 385, size: 245 },
  'token close, 10 together, each': { computeUnits: 385, size: 650 },
}

it('no operation of the Solana program costs more than its ceiling', async () => {
  const rows = await measureSolana()
  expect(rows.map(({ operation }) => operation)).toEqual(Object.keys(ceilings))
  expect(rows.filter((row) => !isWithinLimits(row))).toEqual([])
  for (const { operation, computeUnits, size } of rows) {
    expect(computeUnits, operation).toBeLessThanOrEqual(ceilings[operation]?.computeUnits ?? 0)
    expect(size, operation).toBeLessThanOrEqual(ceilings[operation]?.size ?? 0)
  }
})

it('what an initiation takes from the rent payer, closing returns', async () => {
  const rows = await measureSolana()
  for (const kind of ['SOL', 'token']) {
    const rentOf = (operation: string) => rows.find((row) => row.operation === `${kind} ${operation}`)?.rent
    expect(rentOf('initiate')).toBeGreaterThan(0n)
    expect(rentOf('close')).toBe(-(rentOf('initiate') ?? 0n))
  }
})
