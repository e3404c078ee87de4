// Storage and transactions of the Move module have ceilings, so that a change that costs users money fails.
import { createHash } from 'node:crypto'
import { parseSerializedSignature } from '@mysten/sui/cryptography'
import type { Transaction } from '@mysten/sui/transactions'
import {
  assertBeforeCall,
  type Deployment,
  initiateCall,
  instantRefundCall,
  instantRefundWithSignatureCall,
  redeemCall,
  refundCall,
} from '@tandem/sui/contract/client/calls.ts'
import { instantRefundMessage, type OrderTerms, orderId } from '@tandem/sui/contract/client/order.ts'
import { type FixtureAccount, openSuiFixture } from '@tandem/sui/local/sui.fixture.ts'
import { expect, it } from 'vitest'

interface SuiRow {
  readonly operation: string
  /** The size of the transaction does not include signatures. */
  readonly bytes: number
  /** This is the storage fee of all objects that the transaction wrote, in MIST. */
  readonly paid: bigint
  /** This is the storage rebate of the objects that it replaced, in MIST. */
  readonly returned: bigint
}

const secret = 'a5'.repeat(32)
const secretHash = createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex')
const timelock = 60_000n

async function measureSui(): Promise<readonly SuiRow[]> {
  const fixture = await openSuiFixture()
  try {
    const { chain, htlcs, accounts } = fixture
    const [initiator, redeemer, relay] = accounts
    let amount = 1_000n

    const measure = async (operation: string, { sender }: FixtureAccount, build: (tx: Transaction) => unknown): Promise<SuiRow> => {
      const { transaction, execution } = await sender.execute(build)
      return { operation, bytes: transaction.bytes.length, paid: execution.gas.storageCost, returned: execution.gas.storageRebate }
    }
    /** Every order differs in its amount. */
    const newTerms = (): OrderTerms => {
      amount += 1n
      return { initiator: initiator.address, redeemer: redeemer.address, timelock, amount, secretHash }
    }
    const initiate = async (operation: string, htlc: Deployment, terms: OrderTerms): Promise<SuiRow> => {
      const [own] = initiator.sender.coins(htlc.coinType)
      return measure(operation, initiator, (tx) => {
        assertBeforeCall(tx, htlc.packageId, 2n ** 63n)
        const from =
          htlc === htlcs.sui ? tx.gas : tx.objectRef({ objectId: own?.id ?? '', version: String(own?.version), digest: own?.digest ?? '' })
        const [coin] = tx.splitCoins(from, [tx.pure.u64(terms.amount)])
        initiateCall(tx, htlc, terms, coin)
      })
    }
    const settle = async (operation: string, from: FixtureAccount, add: (tx: Transaction, order: string) => unknown): Promise<SuiRow> => {
      const terms = newTerms()
      await initiate('', htlcs.usdc, terms)
      return measure(operation, from, (tx) => add(tx, orderId(htlcs.usdc.registry, terms)))
    }

    // The first calls of an account also write objects that later calls reuse.
    await initiate('', htlcs.usdc, newTerms())
    const rows = [
      await initiate('initiate, SUI', htlcs.sui, newTerms()),
      await initiate('initiate, another coin', htlcs.usdc, newTerms()),
      await settle('redeem, by a relay', relay, (tx, order) => redeemCall(tx, htlcs.usdc, order, secret)),
      await settle('instant refund, sent by the redeemer', redeemer, (tx, order) => instantRefundCall(tx, htlcs.usdc, order)),
      await settle('instant refund with signature, by a relay', relay, async (tx, order) => {
        const signed = await redeemer.keypair.signPersonalMessage(instantRefundMessage(htlcs.usdc.registry, order))
        const { signature } = parseSerializedSignature(signed.signature)
        instantRefundWithSignatureCall(tx, htlcs.usdc, order, redeemer.keypair.getPublicKey().toRawBytes(), signature ?? new Uint8Array())
      }),
    ]
    const late = newTerms()
    await initiate('', htlcs.usdc, late)
    chain.passMs(Number(timelock))
    const order = orderId(htlcs.usdc.registry, late)
    return [...rows, await measure('refund, by a relay', relay, (tx) => refundCall(tx, htlcs.usdc, order))]
  } finally {
    await fixture.close()
  }
}

const ceilings: Readonly<Record<string, { readonly bytes: number; readonly paid: bigint }>> = {
  'initiate, SUI': { bytes: 571, paid: 5_768_400n },
  'initiate, another coin': { bytes: 650, paid: 7_121_200n },
  'redeem, by a relay': { bytes: 372, paid: 5_943_200n },
  'instant refund, sent by the redeemer': { bytes: 342, paid: 5_943_200n },
  'instant refund with signature, by a relay': { bytes: 465, paid: 5_943_200n },
  'refund, by a relay': { bytes: 380, paid: 5_943_200n },
}

it('no operation of the Move module is larger or stores more than its ceiling, and a settlement pays for its own storage', async () => {
  const rows = await measureSui()
  expect(rows.map(({ operation }) => operation)).toEqual(Object.keys(ceilings))
  for (const { operation, bytes, paid, returned } of rows) {
    const ceiling = ceilings[operation]
    expect(bytes, operation).toBeLessThanOrEqual(ceiling?.bytes ?? 0)
    expect(paid, operation).toBeLessThanOrEqual(ceiling?.paid ?? 0n)
    if (!operation.startsWith('initiate')) expect(paid - returned, operation).toBeLessThan(paid / 20n)
  }
})
