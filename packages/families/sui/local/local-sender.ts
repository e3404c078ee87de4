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

export type Build = (tx: Transaction) => unknown

export interface LocalSender {
  readonly address: string
  coins(coinType: string): readonly SuiObject[]
  /** Transactions are submitted one after the other. Rejects if one is refused. The gas comes from the most valuable coin. */
  submit(build: Build): Promise<ExecutedTransaction>
  execute(build: Build): Promise<ExecutedTransaction>
  executeKind(kind: Uint8Array): Promise<ExecutedTransaction>
}

/** The budget is 2 SUI. */
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
    return node.submit(bytes, [fromBase64(signature)])
  }

  /** Tasks run one at a time, because all of them use the same gas coin. */
  function afterOthers(make: () => Promise<Transaction>): Promise<ExecutedTransaction> {
    const sent = last.then(async () => send(await make()))
    last = sent.catch(() => undefined)
    return sent
  }

  const submit = (build: Build) =>
    afterOthers(async () => {
      const tx = new Transaction()
      await build(tx)
      return tx
    })

  return {
    address,
    coins,
    submit,
    execute: async (build) => succeeded(await submit(build)),
    executeKind: async (kind) => succeeded(await afterOthers(async () => Transaction.fromKind(kind))),
  }
}

function succeeded(executed: ExecutedTransaction): ExecutedTransaction {
  const { failure } = executed.execution
  if (failure !== null) throw new Error(failureText(failure.failure))
  return executed
}
