/** Redeems and refunds deposits by script path. */
import { hexToBytes } from '@noble/hashes/utils.js'
import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { SpendRequest } from '@tandem/chain-kit/port/spend.ts'
import type { PublicKey } from '@tandem/keys/key.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Hex32, isSecretFor } from '@tandem/protocol/secret.ts'
import { htlcOf } from '../../terms/htlc.ts'
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { dustLimit, type FeeBounds, type FeeRate, feeCap, feeOf, uneconomic } from '../../terms/wallet/fees.ts'
import type { Execution } from '../execution.ts'
import { spendInBatches } from './batch-redeem.ts'
import type { Spend } from './spend-action.ts'

export function redeemHtlc(
  execution: Execution,
  terms: HtlcTerms,
  { deposits, to, maxFee, secret }: SpendRequest & { readonly secret: Hex32 },
): Promise<string> {
  return redeem(execution, [{ terms, deposits, secret }], { to, maxFee: maxFee ?? null }, null)
}

export function batchRedeem(execution: Execution, items: readonly RedeemItem[], cosigned: string | null): Promise<string> {
  return redeem(execution, items, { to: null, maxFee: null }, cosigned)
}

async function redeem(
  execution: Execution,
  items: readonly RedeemItem[],
  { to, maxFee }: Pick<SpendRequest, 'to'> & Pick<Spend, 'maxFee'>,
  cosigned: string | null,
): Promise<string> {
  for (const { terms, secret } of items) {
    requireParty(execution.outbox.key, terms.redeemer, 'redeemer')
    if (!isSecretFor(secret, terms.secretHash))
      throw new ChainFailure('would-fail', 'the secret does not hash to the secret hash of the terms')
  }
  const inputs = items.flatMap(({ terms, deposits, secret }) => {
    const { script, redeem: leaf } = htlcOf(terms, execution.network)
    return deposits.map(({ id, amount }) => ({ outpoint: id, amount, script, leaf, items: [hexToBytes(secret)], timelock: null }))
  })
  const spend = { verb: 'redeem', inputs, outputScript: payoutScript(execution, to), maxFee } as const
  return unlessPartlyAccepted(execution, (watched) => spendInBatches(watched, spend, cosigned))
}

export async function refundHtlc(execution: Execution, terms: HtlcTerms, { deposits, to }: SpendRequest): Promise<string> {
  requireParty(execution.outbox.key, terms.initiator, 'initiator')
  const { script, refund: leaf } = htlcOf(terms, execution.network)
  const inputs = deposits.map(({ id, amount }) => ({ outpoint: id, amount, script, leaf, items: [], timelock: terms.timelock }))
  return spendInBatches(execution, { verb: 'refund', inputs, outputScript: payoutScript(execution, to), maxFee: null }, null)
}

function payoutScript({ outbox, network }: Execution, to: string | null): Uint8Array {
  return scriptOfAddress(to ?? walletAddress(outbox.key.publicKey, network), network)
}

/** The amount must cover the fee and leave more than dust. */
export function assertWorthPaying(amount: bigint, vsize: bigint, rate: FeeRate, outputScript: Uint8Array, bounds: FeeBounds): void {
  const fee = feeOf(vsize, rate)
  if (fee > feeCap(amount, vsize, bounds) || amount - fee < dustLimit(outputScript, bounds)) throw uneconomic('a payout', amount, fee)
}

function requireParty(key: PublicKey, identity: string, role: string): void {
  if (identityOf(key) !== identity) throw new ChainFailure('would-fail', `the key is not that of the ${role} of these terms`)
}

/** A node may have accepted what the quorum refused: then it may be mined and its secret be public, so this fails with `unreachable` and is retried. */
async function unlessPartlyAccepted(execution: Execution, send: (execution: Execution) => Promise<string>): Promise<string> {
  const { backend } = execution
  let isPartlyAccepted = false
  async function broadcast(raw: string) {
    const result = await backend.broadcast(raw)
    if (!result.accepted && result.isPartlyAccepted === true) isPartlyAccepted = true
    return result
  }
  try {
    return await send({ ...execution, backend: { ...backend, broadcast } })
  } catch (error) {
    if (!isPartlyAccepted || !(error instanceof ChainFailure)) throw error
    throw new ChainFailure('unreachable', `${error.message}; some nodes have accepted it`, { cause: error })
  }
}
