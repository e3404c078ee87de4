/** Makes one Sui node of several providers. It works while some are dead, slow or behind, and with a quorum while some lie. */

import type { Provider } from '@tandem/chain-kit/providers/pool.ts'
import { createQuorumNode, openSharedNode, type SharedNodeOptions } from '@tandem/chain-kit/providers/quorum-node.ts'
import { acceptedByQuorum, equal, listedByQuorum, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import { chainProblem, genesisDigestOf } from '../../terms/nodes/chain-problem.ts'
import { newestBlock } from '../blocks.ts'
import type { ExecutionFailure, NodeCheckpoint, NodeCoin, NodeObject, Outcome, Simulation, SuiNode } from './node.ts'

export function createSharedNode(chain: Chain, providers: readonly Provider<SuiNode>[], options: SharedNodeOptions): SuiNode {
  const shared = openSharedNode(chain, providers, options, { problemOf: chainProblem, newest: newestBlock, keyOf: keyOfBlock })
  const { quorum } = shared

  return {
    ...createQuorumNode(quorum, {
      checkpoints: (from, to) => [`checkpoints ${from} to ${to}`, equal({ keyOf: keyOfCheckpoints, isImmutable: true })],
      object: (id) => [`the object ${id}`, equal({ keyOf: keyOfObject })],
      versionOf: (id) => [`the version of ${id}`, equal()],
      modules: (id) => [`the package ${id}`, equal({ keyOf: keyOfModules })],
      publication: (id) => [`the publication of ${id}`, equal({ keyOf: keyOfBytes })],
      coins: (owner) => [`the coins of ${owner}`, listedByQuorum(keyOfCoin, ([coin]) => coin)],
      balance: (owner) => [`the balance of ${owner}`, movingNumber('down')],
      decimals: (coinType) => [`the decimals of ${coinType}`, equal()],
      epoch: () => ['the epoch', equal({ keyOf: ({ number, startMs, gasPrice }) => [number, startMs, gasPrice].join(' ') })],
      outcome: (tx) => [`the outcome of ${tx}`, equal({ keyOf: keyOfOutcome, isImmutable: true, pick: inCheckpoint })],
      created: (tx) => [`what ${tx} created`, equal({ keyOf: (all) => all.map(({ id, type }) => `${id} ${type}`).join('\n') })],
      simulate: () => ['a simulation', equal({ keyOf: ({ failure }) => keyOfFailure(failure), pick: maxGas })],
      broadcast: () => ['ExecuteTransaction', acceptedByQuorum(['refused'])],
    }),
    async chainId() {
      await shared.verify()
      return genesisDigestOf(chain)
    },
    ...shared.methods,
  }
}

function keyOfBlock({ height, hash, parentHash, time }: Block): string {
  return [height, hash, parentHash, time].join(' ')
}

function keyOfCheckpoints(checkpoints: readonly NodeCheckpoint[]): string {
  const keyOf = (checkpoint: NodeCheckpoint) =>
    [
      keyOfBlock(checkpoint),
      ...checkpoint.events.map(({ tx, index, type, contents }) => `${tx} ${index} ${type} ${keyOfBytes(contents)}`),
    ].join(' ')
  return checkpoints.map(keyOf).join('\n')
}

function keyOfObject(object: NodeObject | null): string {
  return object === null ? 'none' : `${object.type} ${object.initialSharedVersion} ${keyOfBytes(object.contents)}`
}

function keyOfModules(modules: ReadonlyMap<string, Uint8Array> | null): string {
  return modules === null ? 'none' : [...modules].map(([name, code]) => `${name} ${keyOfBytes(code)}`).join('\n')
}

function keyOfCoin({ id, version, digest, balance }: NodeCoin): string {
  return [id, version, digest, balance].join(' ')
}

/** The key is null if the transaction is not executed: a provider that is behind does not contradict the others. */
function keyOfOutcome(outcome: Outcome | null): string | null {
  return outcome === null ? null : keyOfFailure(outcome.failure)
}

/** Some providers may not have the checkpoint yet. */
function inCheckpoint(alike: readonly (Outcome | null)[]): Outcome | null {
  return alike.find((one) => one !== null && one.checkpoint !== null) ?? alike[0] ?? null
}

function keyOfFailure(failure: ExecutionFailure | null): string {
  // Nodes differ in the words of descriptions.
  return failure === null ? 'none' : `${failure.isCongested} ${failure.abort?.package} ${failure.abort?.module} ${failure.abort?.code}`
}

/** With too little gas the transaction would fail. Unused gas is not paid. */
function maxGas(alike: readonly Simulation[]): Simulation {
  const totalOf = ({ gas }: Simulation) => gas.computation + gas.storage
  return alike.reduce((most, one) => (totalOf(one) > totalOf(most) ? one : most))
}

function keyOfBytes(bytes: Uint8Array | null): string {
  return bytes === null ? 'none' : Buffer.from(bytes).toString('base64')
}
