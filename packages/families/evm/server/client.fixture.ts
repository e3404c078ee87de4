/** Opens a client and a node on a local chain for one test file, and closes them after its tests. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll } from 'vitest'
import { createEvmFixture, type EvmFixture } from './evm.fixture.ts'
import { createNode, type EvmNode } from './nodes/node.ts'

export interface EvmClientFixture {
  readonly fixture: EvmFixture
  readonly client: ChainClient
  readonly node: EvmNode
  /** By default the solver pays the user 1,000 units for the secret. */
  termsFor(secret: string, symbol: string, over?: Partial<HtlcTerms>): HtlcTerms
  phaseOf(terms: HtlcTerms): Promise<string>
}

export async function openEvmClient(): Promise<EvmClientFixture> {
  const fixture = await createEvmFixture()
  const client = fixture.connect()
  const node = createNode(fixture.local.rpcUrl, 5_000)
  afterAll(async () => {
    node.close()
    await client.close()
    await fixture.close()
  })
  return {
    fixture,
    client,
    node,
    termsFor: (secret, symbol, over) => ({
      asset: `${fixture.chain.id}:${symbol}`,
      initiator: fixture.solver.address,
      redeemer: fixture.user.address,
      amount: 1_000n,
      timelock: 600n,
      secretHash: hashSecret(secret),
      ...over,
    }),
    phaseOf: async (terms) => (await readSwap(client, terms, 0n)).swap.phase,
  }
}
