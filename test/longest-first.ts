// The order of the test files: long ones first, so that at the end no worker is busy alone.
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Ten seconds or more, the longest first. All others follow, the largest first, or by the time they took here before. */
export const LONGEST: readonly string[] = [
  'docs/blocks.test.ts',
  'bench/benches.test.ts',
  'test/browser/swap.nodes.test.ts',
  'test/browser/amounts.nodes.test.ts',
  'contracts/starknet/cairo.test.ts',
  'src/chains/bitcoin/conformance.test.ts',
  'test/browser/reference.nodes.test.ts',
  'contracts/starknet/mutation/mutation.test.ts',
  'test/browser/rescue.nodes.test.ts',
  'test/browser/words.nodes.test.ts',
  'test/browser/operator.nodes.test.ts',
  'devnet/bitcoin/oracle.nodes.test.ts',
  'test/swaps/api-and-engine-apart.test.ts',
  'test/swaps/nodes-answer-slowly.test.ts',
  'test/swaps/deposits.nodes.test.ts',
  'contracts/evm/mutation/mutation.test.ts',
  'test/swaps/redeems.nodes.test.ts',
  'test/swaps/deposits.test.ts',
  'src/chains/bitcoin/conformance.nodes.test.ts',
  'test/swaps/every-pair.test.ts',
  'src/cli.test.ts',
  'src/chains/solana/conformance.test.ts',
  'src/engine/engine.test.ts',
  'src/store/embedded/embedded-postgres.test.ts',
  'src/chains/hypercore/htlc-core-mutation.test.ts',
  'test/swaps/refunds.nodes.test.ts',
  'test/swaps/two-engines-race.test.ts',
  'test/swaps/stopped-while-a-node-hangs.test.ts',
  'test/swaps/sdk-without-service.test.ts',
  'src/engine/crash.test.ts',
  'contracts/solana/mutation/mutation.nodes.test.ts',
  'src/engine/chain-watcher.test.ts',
  'test/swaps/sdk-storage-wiped.test.ts',
  'contracts/evm/invariants.test.ts',
  'test/swaps/client-keys.nodes.test.ts',
  'test/swaps/sdk.test.ts',
  'test/swaps/solver-runs-out-of-gas.test.ts',
  'src/doctor/diagnose.test.ts',
  'test/swaps/hypercore.test.ts',
  'src/chains/sui/conformance.test.ts',
  'test/swaps/redeems.test.ts',
  'src/service/reference/samples/samples.test.ts',
  'src/store/embedded/supervise.test.ts',
  'src/chains/evm/conformance.test.ts',
  'src/commands/run-until-stopped.test.ts',
  'src/chains/solana/events.test.ts',
  'src/chains/solana/flood.test.ts',
  'src/protocol/simulation/cheats.test.ts',
  'src/store/actions/leases.test.ts',
  'src/chains/tron/conformance.test.ts',
  'src/service/api/fuzz/fuzz.test.ts',
  'test/swaps/tron.test.ts',
  'test/swaps/xrpl.test.ts',
  'demo/swaps.test.ts',
  'src/store/actions/actions.test.ts',
  'contracts/solana/fuzz.test.ts',
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
