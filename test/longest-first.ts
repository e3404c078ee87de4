// Long test files run first, so that at the end no worker is busy alone.
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** These take ten seconds or more, the longest first. All others follow, the largest first, or by the time that they took here before. */
export const LONGEST: readonly string[] = [
  'docs/blocks.test.ts',
  'packages/families/starknet/contract/cairo.test.ts',
  'test/swaps/utxo.nodes.test.ts',
  'bench/benches.test.ts',
  'packages/families/bitcoin/server/conformance.test.ts',
  'packages/families/evm/contract/mutation/mutation.test.ts',
  'test/browser/swap.nodes.test.ts',
  'test/swaps/utxo.test.ts',
  'test/browser/amounts.nodes.test.ts',
  'packages/sdk/package.nodes.test.ts',
  'test/browser/rescue.nodes.test.ts',
  'test/browser/reference.nodes.test.ts',
  'packages/families/solana/contract/mutation/mutation.nodes.test.ts',
  'packages/families/starknet/contract/mutation/mutation.test.ts',
  'test/browser/words.nodes.test.ts',
  'test/browser/operator.nodes.test.ts',
  'packages/families/bitcoin/local/oracle.nodes.test.ts',
  'test/swaps/api-and-engine-apart.test.ts',
  'test/swaps/nodes-answer-slowly.test.ts',
  'packages/families/bitcoin/server/conformance.nodes.test.ts',
  'test/swaps/every-pair.test.ts',
  'packages/cli/cli.test.ts',
  'packages/families/solana/server/conformance.test.ts',
  'packages/party/engine/engine.test.ts',
  'packages/local/embedded/embedded-postgres.test.ts',
  'packages/families/hypercore/server/htlc-core-mutation.test.ts',
  'test/swaps/signer.test.ts',
  'test/swaps/two-engines-race.test.ts',
  'test/swaps/stopped-while-a-node-hangs.test.ts',
  'test/swaps/sdk-without-service.test.ts',
  'packages/party/engine/crash.test.ts',
  'packages/party/engine/chain-watcher.test.ts',
  'test/swaps/sdk-storage-wiped.test.ts',
  'packages/families/evm/contract/invariants.test.ts',
  'test/swaps/own-chain-and-tokens.test.ts',
  'packages/families/verify-token.test.ts',
  'test/swaps/sdk.test.ts',
  'test/swaps/solver-runs-out-of-gas.test.ts',
  'packages/cli/doctor/diagnose.test.ts',
  'test/swaps/hypercore.test.ts',
  'packages/families/sui/server/conformance.test.ts',
  'packages/reference/samples/samples.test.ts',
  'packages/local/embedded/supervise.test.ts',
  'packages/families/evm/server/conformance.test.ts',
  'packages/cli/commands/run-until-stopped.test.ts',
  'packages/families/solana/server/events.test.ts',
  'packages/families/solana/server/flood.test.ts',
  'packages/protocol/testing/simulation/cheats.test.ts',
  'packages/party/store/actions/leases.test.ts',
  'packages/families/tron/server/conformance.test.ts',
  'packages/service/api/fuzz/fuzz.test.ts',
  'test/swaps/tron.test.ts',
  'test/swaps/xrpl.test.ts',
  'demo/swaps.test.ts',
  'packages/party/store/actions/actions.test.ts',
  'packages/families/solana/contract/fuzz.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const listed = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      return listed === -1 ? LONGEST.length : listed
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}
