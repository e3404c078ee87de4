// Sends transactions of accounts whose keys are in this process: the faucet, the deployment, tests.
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import { Transaction } from '@mysten/sui/transactions'
import { fromBase64 } from '@mysten/sui/utils'
import type { ExecutedTransaction } from './chain/checkpoint.ts'
import type { SuiNode } from './chain/node.ts'
import { failureText } from './execution/failure.ts'
import { refOf } from './grpc/gas-selection.ts'
import { readCoin } from './objects/coin.ts'
import type { SuiObject } from './objects/object.ts'
import { SUI_TYPE } from './objects/types.ts'

export interface LocalSender {
  readonly address: string
  /** The coins of the account, the most valuable one first. */
  coins(coinType: string): readonly SuiObject[]
  /** Signs a transaction and submits it. One after the other. Rejects if it is refused or fails. Its gas comes from the most valuable coin. */
  execute(build: (tx: Transaction) => void): Promise<ExecutedTransaction>
  /** The same, for a transaction kind. */
  executeKind(kind: Uint8Array): Promise<ExecutedTransaction>
}

/** 2 SUI. */
const BUDGET = 2_000_000_000n

export function createLocalSender(node: SuiNode, keypair: Ed25519Keypair): LocalSender {
  const address = keypair.toSuiAddress()
  let last: Promise<unknown> = Promise.resolve()

  function coins(coinType: string): readonly SuiObject[] {
    const balance = (object: SuiObject) => readCoin(object)?.balance ?? 0n
    return node.store
      .ownedBy(address)
      .filter((object) => readCoin(object)?.coinType === coinType)
      .sort((left, right) => Number(balance(right) - balance(left)))
  }

  async function send(tx: Transaction): Promise<ExecutedTransaction> {
    const [gas] = coins(SUI_TYPE)
    if (gas === undefined) throw new Error(`${address} has no SUI for gas`)
    tx.setSender(address)
    tx.setGasPrice(node.epochs.current().gasPrice)
    tx.setGasBudget(BUDGET)
    tx.setGasPayment([refOf(gas)])
    const bytes = await tx.build()
    const { signature } = await keypair.signTransaction(bytes)
    const executed = await node.submit(bytes, [fromBase64(signature)])
    const { failure } = executed.execution
    if (failure !== null) throw new Error(failureText(failure.failure))
    return executed
  }

  /** One at a time, because all of them use the same gas coin. */
  function afterOthers(make: () => Transaction): Promise<ExecutedTransaction> {
    const sent = last.then(() => send(make()))
    last = sent.catch(() => undefined)
    return sent
  }

  return {
    address,
    coins,
    execute: (build) =>
      afterOthers(() => {
        const tx = new Transaction()
        build(tx)
        return tx
      }),
    executeKind: (kind) => afterOthers(() => Transaction.fromKind(kind)),
  }
}
