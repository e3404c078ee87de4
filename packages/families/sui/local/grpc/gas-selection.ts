// Selects the gas of a simulated transaction by the rules of nodes: a mocked coin, a budget, and the sender's coins.
import { normalizeSuiAddress } from '@mysten/sui/utils'
import { GENESIS_DIGEST } from '../chain/genesis.ts'
import type { SuiNode } from '../chain/node.ts'
import { MAX_GAS_BUDGET, MAX_GAS_PAYMENT_OBJECTS } from '../execution/gas.ts'
import { coinData, readCoin } from '../objects/coin.ts'
import { finishObject, type SuiObject } from '../objects/object.ts'
import type { ObjectReader } from '../objects/store.ts'
import { SUI_TYPE } from '../objects/types.ts'
import { encodeTransaction, type ObjectRef, ownedRefs, type TransactionData } from '../transactions/transaction.ts'
import { invalidArgument } from './status.ts'

const MOCK_ID = normalizeSuiAddress(`0x${'f'.repeat(63)}0`)
const MOCK_BALANCE = 10n ** 18n
const SAFE_OVERHEAD_UNITS = 1_000n

/** A transaction without gas payment is simulated with a coin that does not exist. */
export function withMockGas({ store }: SuiNode, data: TransactionData): { readonly objects: ObjectReader; readonly data: TransactionData } {
  if (data.gas.payment.length > 0) return { objects: store, data }
  const owner = { kind: 'address', address: data.gas.owner } as const
  const finished = finishObject({ id: MOCK_ID, owner, data: coinData(MOCK_ID, SUI_TYPE, MOCK_BALANCE) }, 1n, GENESIS_DIGEST)
  // The storage of the mocked coin was never paid.
  const mock: SuiObject = { ...finished, storageRebate: 0n }
  return {
    objects: { get: (id) => (id === MOCK_ID ? mock : store.get(id)) },
    data: { ...data, gas: { ...data.gas, payment: [refOf(mock)] } },
  }
}

/** The budget has no storage of the mocked coin, and a margin for a change of the state. */
export function estimateBudget(node: SuiNode, data: TransactionData): bigint {
  const trial = withMockGas(node, { ...data, gas: { ...data.gas, payment: [], budget: MAX_GAS_BUDGET } })
  const { execution } = node.rehearse(trial.objects, encodeTransaction(trial.data))
  const { computationCost, storageCost, storageRebate } = execution.gas
  const mockStorage = execution.changes.get(MOCK_ID)?.storageRebate ?? 0n
  const net = computationCost + storageCost - mockStorage - storageRebate
  const needed = net > computationCost ? net : computationCost
  const overhead = SAFE_OVERHEAD_UNITS * node.epochs.current().gasPrice
  const estimate = needed + overhead
  if (data.gas.payment.length > 0 && data.gas.budget < estimate)
    throw invalidArgument(
      `Insufficient gas balance to cover estimated transaction cost. Available gas balance: ${data.gas.budget} MIST. Estimated gas budget required: ${estimate} MIST`,
    )
  return estimate < MAX_GAS_BUDGET ? estimate : MAX_GAS_BUDGET
}

export function selectGas({ store }: SuiNode, data: TransactionData): TransactionData {
  const { owner, budget } = data.gas
  const used = new Set(ownedRefs(data).map(({ objectId }) => objectId))
  const coins = store
    .ownedBy(owner)
    .filter((object) => object.owner.kind === 'address' && !used.has(object.id) && readCoin(object)?.coinType === SUI_TYPE)
    .slice(0, MAX_GAS_PAYMENT_OBJECTS)
  const balance = coins.reduce((sum, object) => sum + (readCoin(object)?.balance ?? 0n), 0n)
  if (balance < budget)
    throw invalidArgument(
      `Unable to perform gas selection due to insufficient SUI balance (in address balance or coins) for account ${owner} to satisfy required budget ${budget}.`,
    )
  return { ...data, gas: { ...data.gas, payment: coins.map(refOf) } }
}

export function refOf({ id, version, digest }: SuiObject): ObjectRef {
  return { objectId: id, version: String(version), digest }
}
