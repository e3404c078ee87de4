/** Opens a client on the HyperCore simulator for one test file, and closes it after the tests. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { createHypercoreFixture, type HypercoreFixture, type TestParty } from './hypercore.fixture.ts'

export interface HypercoreClientFixture {
  readonly fixture: HypercoreFixture
  readonly client: ChainClient
  termsOf(initiator: TestParty, redeemer: TestParty, amount?: bigint): HtlcTerms
}

export const AMOUNT = 1_000_000n

export async function openHypercoreClient(): Promise<HypercoreClientFixture> {
  const fixture = await createHypercoreFixture()
  const client = fixture.connect()
  afterAll(async () => {
    await client.close()
    await fixture.close()
  })
  return {
    fixture,
    client,
    termsOf: (initiator, redeemer, amount = AMOUNT) => ({
      asset: fixture.asset.id,
      initiator: initiator.address,
      redeemer: redeemer.address,
      amount,
      timelock: 600n,
      secretHash: hashSecret(createSecret()),
    }),
  }
}

/** Every test of the file starts from the same state of the chain. */
export function undoAfterEach({ local }: HypercoreFixture): void {
  let snapshot: unknown
  beforeEach(async () => {
    snapshot = await local.request({ method: 'evm_snapshot' })
  })
  afterEach(async () => {
    await local.request({ method: 'evm_revert', params: [snapshot] })
  })
}
