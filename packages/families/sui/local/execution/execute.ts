// Executes a transaction: merges its gas coins, runs its commands, charges for it, and returns the changes.
import { canBeDropped, type MoveValue } from '../move/function.ts'
import { balanceIn, coinContents, coinData } from '../objects/coin.ts'
import { type Draft, finishObject, type SuiObject, storagePrice } from '../objects/object.ts'
import type { Changes, ObjectReader } from '../objects/store.ts'
import { SUI_TYPE } from '../objects/types.ts'
import type { CallArg, Transaction } from '../transactions/transaction.ts'
import { runCommand } from './commands.ts'
import { ExecutionFailure, type Failure } from './failure.ts'
import { computationUnits, type GasSummary, netCost, summary } from './gas.ts'
import { createScratch, type EmittedEvent, type Scratch } from './scratch.ts'
import { createValues, objectSlot, pureSlot, type Slot } from './values.ts'

export type Execution = {
  readonly failure: { readonly failure: Failure; readonly command: number | null } | null
  readonly gas: GasSummary
  readonly events: readonly EmittedEvent[]
  readonly lamportVersion: bigint
  readonly gasObject: string
  readonly changes: Changes
  readonly before: Changes
  readonly readOnly: readonly SuiObject[]
  readonly dependencies: readonly string[]
  readonly results: readonly (readonly MoveValue[])[]
}

type Loaded = { readonly object: SuiObject; readonly slot: Slot }

export function execute(objects: ObjectReader, transaction: Transaction): Execution {
  const { gas, program } = transaction.data
  const inputs = program.inputs.map((input) => loadInput(objects, input))
  const payment = gas.payment.map(({ objectId }) => present(objects.get(objectId)))
  const gasObject = present(payment[0] ?? null)
  const used = [...inputs.flatMap((input) => (input.loaded === null ? [] : [input.loaded])), ...payment.map((object) => ({ object }))]
  const lamportVersion = used.reduce((newest, { object }) => (object.version > newest ? object.version : newest), 0n) + 1n

  const computation = computationUnits(program.commands) * gas.price
  const attempt = run(objects, transaction, payment, inputs)
  let { scratch, failure } = attempt
  let cost = costOf(objects, scratch, computation)
  if (failure === null && netCost(cost) > gas.budget) failure = { failure: { kind: 'InsufficientGas' }, command: null }
  if (failure !== null) {
    scratch = withoutEffects(objects, transaction.digest, payment, inputs)
    cost = costOf(objects, scratch, computation)
    // No gas remains for storage: the network takes the budget.
    if (netCost(cost) > gas.budget) cost = summary(gas.budget, 0n, 0n)
  }
  charge(scratch, gasObject.id, netCost(cost))

  const finished = [...scratch.drafts].map(([id, draft]): [string, SuiObject | null] => [
    id,
    draft === null ? null : finish(draft, lamportVersion, transaction.digest),
  ])
  return {
    failure,
    gas: cost,
    events: failure === null ? scratch.events : [],
    lamportVersion,
    gasObject: gasObject.id,
    changes: new Map(finished),
    before: new Map(finished.map(([id]) => [id, objects.get(id)])),
    readOnly: inputs.flatMap(({ loaded }) => (loaded?.slot.holder === 'read-only' ? [loaded.object] : [])),
    dependencies: [...new Set(used.map(({ object }) => object.previousTransaction))],
    results: attempt.results,
  }
}

type Attempt = {
  readonly scratch: Scratch
  readonly failure: Execution['failure']
  readonly results: readonly (readonly MoveValue[])[]
}

type Input = { readonly slot: Slot; readonly loaded: Loaded | null }

function run(
  objects: ObjectReader,
  { digest, data: { sender, program } }: Transaction,
  payment: readonly SuiObject[],
  inputs: readonly Input[],
): Attempt {
  const scratch = createScratch(objects, digest)
  const gas = smash(scratch, payment)
  const slots = inputs.map(({ slot }) => ({ ...slot }))
  const gasSlot = objectSlot('gas', gas)
  const values = createValues(gasSlot, slots)
  const results: (readonly MoveValue[])[] = []
  try {
    for (const command of program.commands) {
      const returned = runCommand({ objects, scratch, values, sender }, command)
      values.addResults(returned)
      results.push(returned)
    }
    for (const { value, ...place } of values.leftOver())
      if (!canBeDropped(value.type)) throw new ExecutionFailure({ kind: 'unused value', ...place })
  } catch (error) {
    if (!(error instanceof ExecutionFailure)) throw error
    const command = results.length < program.commands.length ? results.length : null
    return { scratch, failure: { failure: error.failure, command }, results }
  }
  keep(scratch, gas, gasSlot)
  for (const [index, { loaded }] of inputs.entries()) if (loaded !== null) keep(scratch, loaded.object, slots[index] ?? loaded.slot)
  return { scratch, failure: null, results }
}

/** Every object that could have been changed gets a new version, even if nothing used it. */
function keep(scratch: Scratch, { id, owner, data }: Draft, { holder, value }: Slot): void {
  if (value === null || holder === 'read-only' || holder === 'immutable' || data.kind !== 'move') return
  scratch.write({ id, owner, data: { ...data, contents: value.bytes } })
}

/** A failed transaction still merges its gas coins, and gives all objects that were not read-only a new version. */
function withoutEffects(objects: ObjectReader, digest: string, payment: readonly SuiObject[], inputs: readonly Input[]): Scratch {
  const scratch = createScratch(objects, digest)
  smash(scratch, payment)
  for (const { loaded } of inputs) if (loaded !== null) keep(scratch, loaded.object, loaded.slot)
  return scratch
}

function smash(scratch: Scratch, payment: readonly SuiObject[]): Draft {
  const [first, ...rest] = payment
  if (first === undefined) throw new Error('a transaction has a gas coin')
  const balance = payment.reduce((sum, { data }) => sum + (data.kind === 'move' ? balanceIn(data.contents) : 0n), 0n)
  const draft = { id: first.id, owner: first.owner, data: coinData(first.id, SUI_TYPE, balance) }
  scratch.write(draft)
  for (const { id } of rest) scratch.remove(id)
  return draft
}

function charge(scratch: Scratch, gasId: string, cost: bigint): void {
  const draft = scratch.read(gasId)
  if (draft?.data.kind !== 'move') throw new Error('the gas coin is there when the transaction ends')
  const contents = coinContents(gasId, balanceIn(draft.data.contents) - cost)
  scratch.write({ ...draft, data: { ...draft.data, contents } })
}

function costOf(objects: ObjectReader, { drafts }: Scratch, computation: bigint): GasSummary {
  const stored = [...drafts.values()].reduce((sum, draft) => sum + (draft === null ? 0n : storagePrice(draft)), 0n)
  const released = [...drafts.keys()].reduce((sum, id) => sum + (objects.get(id)?.storageRebate ?? 0n), 0n)
  return summary(computation, stored, released)
}

function finish(draft: Draft, lamportVersion: bigint, digest: string): SuiObject {
  if (draft.data.kind === 'package') return finishObject(draft, 1n, digest)
  const { owner } = draft
  const isNewlyShared = owner.kind === 'shared' && owner.initialVersion === 0n
  return finishObject(isNewlyShared ? { ...draft, owner: { ...owner, initialVersion: lamportVersion } } : draft, lamportVersion, digest)
}

function loadInput(objects: ObjectReader, input: CallArg): Input {
  if (input.$kind === 'Pure') return { slot: pureSlot(input.Pure.bytes), loaded: null }
  if (input.$kind !== 'Object') throw new Error('withdrawals from address balances are refused before')
  const reference = input.Object
  const id = (reference.ImmOrOwnedObject ?? reference.SharedObject ?? reference.Receiving)?.objectId ?? ''
  const object = present(objects.get(id))
  const slot = objectSlot(holderOf(object, reference.SharedObject?.mutable ?? true), object)
  return { slot, loaded: { object, slot } }
}

function holderOf({ owner }: SuiObject, isMutable: boolean): Slot['holder'] {
  if (owner.kind === 'immutable') return 'immutable'
  if (owner.kind === 'shared') return isMutable ? 'shared' : 'read-only'
  return 'owned'
}

function present(object: SuiObject | null): SuiObject {
  if (object === null) throw new Error('inputs are checked before execution')
  return object
}
