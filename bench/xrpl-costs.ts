// Counts the bytes and fees of every transaction that a swap makes on the XRP Ledger, as our client signs them.

import { createKey } from '@tandem/keys/keyring.ts'
import { cancelCall, createCall, finishCall, signCall, unitsOf } from '@tandem/xrpl/server/send/transaction.ts'
import { conditionOf } from '@tandem/xrpl/terms/htlc.ts'

export interface XrplRow {
  readonly operation: string
  /** Of the signed transaction. */
  readonly bytes: number
  /** In fees of a plain transaction. */
  readonly feeUnits: number
  /** At the base fee. */
  readonly feeDrops: number
  /** How many reserves of an object its sender needs, until the escrow ends. */
  readonly reserves: number
}

/** Of the main network, in drops. */
const BASE_FEE = 10n

const signer = createKey('ed25519', `0x${'11'.repeat(32)}`).signerFor({ kind: 'deploy', chain: 'bench', asset: 'bench:xrp' })
const secret = '22'.repeat(32)
const condition = conditionOf('33'.repeat(32))
const owner = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
const escrow = { owner, destination: 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe', amount: 100_000_000n, condition, cancelAfter: 1_900_000_000n }
const id = { owner, sequence: 90_000_000n }

const operations = [
  { operation: 'initiate', call: createCall({ ...escrow, tag: null }), reserves: 1 },
  { operation: 'initiate, with a destination tag', call: createCall({ ...escrow, tag: 7 }), reserves: 1 },
  { operation: 'redeem', call: finishCall(id, condition, secret), reserves: 0 },
  { operation: 'refund', call: cancelCall(id), reserves: 0 },
] as const

export function measureXrpl(): readonly XrplRow[] {
  const envelope = { sequence: 90_000_000n, fees: { perUnit: BASE_FEE, lastLedger: 100_000_000n }, network: {} }
  return operations.map(({ operation, call, reserves }) => ({
    operation,
    bytes: signCall(signer, envelope, call).raw.length / 2,
    feeUnits: Number(unitsOf(call)),
    feeDrops: Number(unitsOf(call) * BASE_FEE),
    reserves,
  }))
}
