// Transactions of a swap on the XRP Ledger have ceilings, so that a change that costs users money fails.
import { createKey } from '@tandem/keys/keyring.ts'
import { cancelCall, createCall, finishCall, signCall, unitsOf } from '@tandem/xrpl/server/send/transaction.ts'
import { conditionOf } from '@tandem/xrpl/terms/htlc.ts'
import { expect, it } from 'vitest'

interface XrplRow {
  readonly operation: string
  readonly bytes: number
  /** The fee is the base fee. */
  readonly feeDrops: number
}

/** This is the main network's base fee, in drops. */
const BASE_FEE = 10n

const signer = createKey('ed25519', `0x${'11'.repeat(32)}`).signerFor({ kind: 'deploy', chain: 'bench', asset: 'bench:xrp' })
const secret = '22'.repeat(32)
const condition = conditionOf('33'.repeat(32))
const owner = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
const escrow = { owner, destination: 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe', amount: 100_000_000n, condition, cancelAfter: 1_900_000_000n }
const id = { owner, sequence: 90_000_000n }

const operations = [
  { operation: 'initiate', call: createCall({ ...escrow, tag: null }) },
  { operation: 'initiate, with a destination tag', call: createCall({ ...escrow, tag: 7 }) },
  { operation: 'redeem', call: finishCall(id, condition, secret) },
  { operation: 'refund', call: cancelCall(id) },
] as const

async function measureXrpl(): Promise<readonly XrplRow[]> {
  const envelope = { sequence: 90_000_000n, fees: { perUnit: BASE_FEE, lastLedger: 100_000_000n }, network: {} }
  return Promise.all(
    operations.map(async ({ operation, call }) => ({
      operation,
      bytes: (await signCall(signer, envelope, call)).raw.length / 2,
      feeDrops: Number(unitsOf(call) * BASE_FEE),
    })),
  )
}

const ceilings: Readonly<Record<string, { readonly bytes: number; readonly drops: number }>> = {
  initiate: { bytes: 225, drops: 10 },
  'initiate, with a destination tag': { bytes: 230, drops: 10 },
  redeem: { bytes: 255, drops: 360 },
  refund: { bytes: 174, drops: 10 },
}

it('no transaction on the XRP Ledger is longer or costs more than its ceiling', async () => {
  const rows = await measureXrpl()
  expect(rows.map(({ operation }) => operation)).toEqual(Object.keys(ceilings))
  for (const { operation, bytes, feeDrops } of rows) {
    expect(bytes, operation).toBeLessThanOrEqual(ceilings[operation]?.bytes ?? 0)
    expect(feeDrops, operation).toBeLessThanOrEqual(ceilings[operation]?.drops ?? 0)
  }
})
