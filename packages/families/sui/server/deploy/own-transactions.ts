/** Sends the deployer's transactions, outside of the engine. They are signed again only when the last one can no longer be executed. */
import type { Transaction } from '@mysten/sui/transactions'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Signer } from '@tandem/keys/key.ts'
import { accountOf } from '../../terms/address.ts'
import { SUI_TYPE } from '../../terms/coin-type.ts'
import { buildTransaction, digestOf } from '../../terms/send/transaction.ts'
import { gasPrice } from '../fees/gas.ts'
import type { SignedTransaction, SuiNode } from '../nodes/node.ts'
import { chooseCoins, totalOf } from '../send/coins.ts'
import { reasonOf } from '../send/failure.ts'
import { signTransaction } from '../send/sign.ts'
import { simulateCommands } from '../send/simulate.ts'

type Signed = SignedTransaction & { readonly tx: string; readonly lastEpoch: bigint }

export type Commands = () => Transaction

export interface OwnTransactions {
  /** This is the maximum cost now, in MIST. Rejects with `would-fail` if the transaction would fail. */
  cost(what: string, commands: Commands): Promise<bigint>
  /** Sends the commands, or what was signed under this name. Rejects with `would-fail` if they were executed and failed. */
  send(name: string, commands: Commands): Promise<void>
  /** The digest is null until the transaction is in a checkpoint. */
  done(name: string): Promise<string | null>
}

/** Nothing else may use the signer on this chain meanwhile. */
export function createOwnTransactions(node: SuiNode, signer: Signer): OwnTransactions {
  const sender = accountOf(signer)
  const signed = new Map<string, Signed>()

  async function cost(what: string, commands: Commands): Promise<bigint> {
    const { failure, gas } = await simulateCommands(node, sender, commands())
    if (failure !== null) throw new ChainFailure('would-fail', `${what} would fail: ${reasonOf(failure, '')}`)
    return ((gas.computation + gas.storage) * 3n) / 2n
  }

  async function signNow(name: string, commands: Commands): Promise<Signed> {
    const [epoch, coins, budget] = await Promise.all([node.epoch(), node.coins(sender, SUI_TYPE), cost(name, commands)])
    const chosen = chooseCoins(coins, budget, coins.length)
    if (chosen === null) throw new ChainFailure('would-fail', `${name}: ${sender} holds ${totalOf(coins)} MIST, needs ${budget}`)
    const frame = { sender, price: gasPrice(epoch, 0), budget, lastEpoch: epoch.number, payment: chosen.coins }
    const bytes = await buildTransaction(commands(), frame)
    return { ...(await signTransaction(signer, bytes)), tx: digestOf(bytes), lastEpoch: epoch.number }
  }

  async function isExpired({ tx, lastEpoch }: Signed): Promise<boolean> {
    return (await node.epoch()).number > lastEpoch && (await node.outcome(tx)) === null
  }

  return {
    cost,
    async send(name, commands) {
      const last = signed.get(name)
      const outcome = last === undefined ? null : await node.outcome(last.tx)
      if (outcome?.failure != null) throw new ChainFailure('would-fail', `${name}: ${last?.tx} failed: ${reasonOf(outcome.failure, '')}`)
      const current = last === undefined || (await isExpired(last)) ? await signNow(name, commands) : last
      signed.set(name, current)
      const verdict = await node.broadcast(current)
      if (verdict.kind === 'refused' && !verdict.isPartlyAccepted)
        throw new ChainFailure('unreachable', `${name}: nodes refuse ${current.tx}: ${verdict.reason}`)
    },
    async done(name) {
      const last = signed.get(name)
      const outcome = last === undefined ? null : await node.outcome(last.tx)
      return last !== undefined && outcome?.failure === null && outcome.checkpoint !== null ? last.tx : null
    },
  }
}
