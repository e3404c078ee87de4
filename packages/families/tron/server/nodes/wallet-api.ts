/** Makes one HTTP API of several Tron nodes, with a quorum. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { assertQuorum, connectProviders } from '@tandem/chain-kit/providers/connector.ts'
import { openQuorum } from '@tandem/chain-kit/providers/open-quorum.ts'
import { type Answers, poll } from '@tandem/chain-kit/providers/poll.ts'
import { isRefusedByAll, noAgreement, refusalAmong } from '@tandem/chain-kit/providers/quorum.ts'
import { createQuorumNode } from '@tandem/chain-kit/providers/quorum-node.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { equal, movingNumber } from '@tandem/chain-kit/providers/rules.ts'
import { type BroadcastResult, createWalletNode, type SimulatedCall, type WalletNode } from './wallet-node.ts'

/** `broadcast` goes to every node. It rejects with `would-fail` if all refuse, with `unreachable` if fewer than the quorum accept. */
export type WalletApi = WalletNode

const PRICE_TTL_MS = 30_000

export function createWalletApi(
  chain: { readonly id: string },
  { endpoints, quorum: size = 1, onTrouble = () => undefined }: Pick<ConnectOptions, 'endpoints' | 'quorum' | 'onTrouble'>,
): WalletApi {
  const nodes = endpoints.rpc ?? []
  const providers = connectProviders(chain.id, nodes, createWalletNode)
  assertQuorum(chain.id, nodes, size)
  const quorum = openQuorum(chain.id, providers, { size, problemOf: async () => null, onTrouble })
  const node = createQuorumNode(quorum, {
    energyPrice: () => ['the energy price', movingNumber('up')],
    stakedEnergy: (account) => [`the staked energy of ${account}`, movingNumber('up')],
    result: (tx) => [`the result of ${tx}`, equal({ keyOf: (known) => (known === null ? '' : `${known.result} ${known.energy}`) })],
    simulateCall: ({ to }) => [
      `a simulated call of ${to}`,
      equal({ keyOf: ({ isReverted, output }) => `${isReverted} ${output}`, pick: cheapest }),
    ],
  })
  let price: { readonly sun: bigint; readonly untilMs: number } | null = null

  return {
    ...node,
    async energyPrice() {
      if (price !== null && performance.now() < price.untilMs) return price.sun
      const sun = await node.energyPrice()
      price = { sun, untilMs: performance.now() + PRICE_TTL_MS }
      return sun
    },
    async simulateCall(call) {
      try {
        return await node.simulateCall(call)
      } catch (error) {
        throw error instanceof Refusal ? new ChainFailure('unreachable', error.message) : error
      }
    },
    broadcast: (signed) =>
      poll<WalletNode, BroadcastResult, BroadcastResult>(quorum.pool, {
        enough: size,
        everyone: true,
        ask: (one) => one.broadcast(signed),
        decide: ({ answers }) => (acceptedIn(answers) >= size ? 'accepted' : undefined),
        otherwise: undecidedBroadcast,
      }),
    close: () => void quorum.close(),
  }
}

/** The quorum did not accept the transaction. */
function undecidedBroadcast({ answers, failures }: Answers<WalletNode, BroadcastResult>): BroadcastResult {
  const accepted = acceptedIn(answers)
  const refusal = refusalAmong(failures)
  if (refusal !== undefined) {
    // A node that accepted it, or failed and may have, may get it mined and has seen its calldata: so the refusal is not final.
    const kind = accepted > 0 || !isRefusedByAll(failures) ? 'unreachable' : 'would-fail'
    throw new ChainFailure(kind, refusal.message, { cause: refusal })
  }
  if (accepted > 0) return 'accepted'
  const [first] = answers
  if (first === undefined) throw noAgreement('broadcasthex', 1, [], failures)
  return first[1]
}

function acceptedIn(answers: Answers<WalletNode, BroadcastResult>['answers']): number {
  return answers.filter(([, result]) => result === 'accepted').length
}

/** Nodes that agree on the output may differ in the energy. */
function cheapest(calls: readonly SimulatedCall[]): SimulatedCall {
  return calls.reduce((lowest, call) => (call.energy < lowest.energy ? call : lowest))
}
