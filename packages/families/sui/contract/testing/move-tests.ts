// Writes the Move tests of scenarios. A test of Move ends with its first abort, so every step that must abort has a test of its own: it
// plays all steps before it that succeed, then that step.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { abortCodes } from '../client/errors.ts'
import { encodeEvent, type HtlcEvent } from '../client/events.ts'
import { type HtlcCall, type Party, partyAddress, type Scenario, type Step } from './scenario.ts'
import { orderIdOf, signRefund } from './signature.ts'

/** The registry is the first object of a test's first transaction: its id is a hash of a fixed transaction digest and of 0. */
const testRegistry = `0x${bytesToHex(blake2b(Uint8Array.of(0xf1, ...new Uint8Array(40)), { dkLen: 32 }))}`

type CallStep = Step & { kind: 'call' }

const moveFile = (name: string): string => readFileSync(join(import.meta.dirname, 'move', `${name}.move`), 'utf8')
const playerSource = moveFile('player')

export const registryTests = moveFile('registries')

export const playerOf = (module: string): string =>
  playerSource.replace('tandem_htlc::player', `tandem_htlc::${module}_player`).replaceAll(/\bhtlc::/g, `${module}::`)

/** The tests of a scenario have its index in their names. */
export async function scenarioTests(module: string, chosen: ReadonlyMap<number, Scenario>): Promise<string> {
  const parts: string[] = []
  for (const [index, scenario] of chosen) parts.push(await testsOf(module, scenario, index))
  return `#[test_only]\nmodule tandem_htlc::${module}_scenarios;\n\nuse tandem_htlc::${module}_player::{Self as player, World};\n\n${parts.join('\n')}`
}

export const testPrefix = (index: number): string => `scenario_${index}_`

async function testsOf(module: string, { steps }: Scenario, index: number): Promise<string> {
  const prefix = testPrefix(index)
  const functions: string[] = []
  const tests: string[] = []
  let part: string[] = []
  const played: string[] = []
  const endPart = (): void => {
    if (part.length === 0) return
    const name = `${prefix}part_${played.length}`
    functions.push(`fun ${name}(world: &mut World) {\n${part.map((line) => `    ${line}\n`).join('')}}\n`)
    played.push(`${name}(&mut world);`)
    part = []
  }
  const write = (name: string, attribute: string, lines: readonly string[]): void => {
    const body = [`let mut world = player::begin(@${testRegistry});`, ...lines, 'world.end();']
    tests.push(`#[test${attribute}]\nfun ${prefix}${name}() {\n${body.map((line) => `    ${line}\n`).join('')}}\n`)
  }
  for (const [number, step] of steps.entries()) {
    if (step.kind !== 'call' || step.abort === undefined) {
      part.push(...(await linesOf(step)))
      continue
    }
    endPart()
    const attribute = `, expected_failure(abort_code = ${abortCodes[step.abort]}, location = tandem_htlc::${module})`
    write(`step_${number}`, attribute, [...played, ...(await linesOf(step))])
  }
  endPart()
  write('succeeds', '', played)
  return [...functions, ...tests].join('\n')
}

async function linesOf(step: Step): Promise<readonly string[]> {
  switch (step.kind) {
    case 'call':
      return [...deadlineLines(step), await callLine(step)]
    case 'fund':
      return [`world.fund(${address(step.party)}, ${step.amount});`]
    case 'state':
      return [`world.expect_state(${hex(orderIdOf(step.order, testRegistry) ?? '')}, ${step.state});`]
    case 'balances':
      return Object.entries(step.balances).map(([party, amount]) => `world.expect_balance(${address(party as Party)}, ${amount});`)
  }
}

/** The deadline is a call of its own; in a transaction both happen or none. */
function deadlineLines({ call, at }: CallStep): readonly string[] {
  return call.entry === 'initiate' && call.deadline !== undefined ? [`world.assert_before(${at}, ${call.deadline});`] : []
}

async function callLine(step: CallStep): Promise<string> {
  const { call, at, from, abort } = step
  const contents = abort === undefined ? bytesToHex(encodeEvent(eventOf(step)).contents) : ''
  const parts = [at, address(from), ...(await argumentsOf(call)), hex(contents)]
  return `world.${call.entry}(${parts.join(', ')});`
}

async function argumentsOf(call: HtlcCall): Promise<readonly string[]> {
  const { order } = call
  if (call.entry === 'initiate') {
    const parties = [address(order.initiator), address(order.redeemer)]
    return [...parties, hex(order.secretHash), ...[order.amount, order.timelock, call.coinValue ?? order.amount].map(String)]
  }
  const id = hex(orderIdOf(order, testRegistry) ?? '')
  if (call.entry === 'redeem') return [id, hex(call.secret)]
  if (call.entry !== 'instant_refund_with_signature') return [id]
  const { publicKey, signature } = await signRefund(call.signature, testRegistry)
  return [id, hex(bytesToHex(publicKey)), hex(bytesToHex(signature))]
}

function eventOf({ call, at }: CallStep): HtlcEvent {
  const { initiator, redeemer, ...numbers } = call.order
  const id = { registry: testRegistry, orderId: orderIdOf(call.order, testRegistry) ?? '' }
  if (call.entry === 'redeem') return { kind: 'redeemed', ...id, secret: call.secret }
  if (call.entry !== 'initiate') return { kind: 'refunded', ...id }
  const parties = { initiator: partyAddress(initiator, testRegistry), redeemer: partyAddress(redeemer, testRegistry) }
  return { kind: 'initiated', ...id, terms: { ...numbers, ...parties }, initiatedAt: at }
}

const address = (party: Party): string => `@${partyAddress(party, testRegistry)}`
const hex = (digits: string): string => `x"${digits}"`
