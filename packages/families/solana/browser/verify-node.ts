/** A Solana node before anybody pays. */

import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem, assertThere } from '@tandem/chain-kit/browser/node-problem.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'
import { accountInfo, blocksIn, blockTime, genesisHash } from './node.ts'

/** Slots without a block in a row: more than ever are. */
const MOST_SKIPPED = 200n

export async function verifyNode(chain: Chain, { program }: HtlcContract, node: Node): Promise<void> {
  assertNoProblem(await chainProblem(chain, { genesisHash: () => genesisHash(node) }))
  const { slot, account } = await accountInfo(node, program)
  const newest = (await blocksIn(node, slot > MOST_SKIPPED ? slot - MOST_SKIPPED : 0n, slot)).at(-1)
  assertNoProblem(newest === undefined ? 'has no recent block' : null)
  assertFreshTip(chain, await blockTime(node, newest ?? slot))
  assertThere(account !== null, program)
}
