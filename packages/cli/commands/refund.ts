/** `tandem refund` refunds a deposit with only a refund package. That of a deposit address is returned: see `refund-deposit.ts`. */
import { readFile } from 'node:fs/promises'
import type { RefundPackage, Rescue, RescueNode, RescueRefund, RescueRequest } from '@tandem/chain-kit/port/abilities/rescue.ts'
import type { Endpoints } from '@tandem/chain-kit/port/endpoints.ts'
import type { SpendableDeposit } from '@tandem/chain-kit/port/spend.ts'
import { loadFamily } from '@tandem/families/index.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { createNetwork } from '@tandem/party/engine/network.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import type { FamilyName } from '@tandem/protocol/chain.ts'
import { readDepositPackage } from '@tandem/protocol/funding/deposit-package.ts'
import { readVault } from '@tandem/service/sealing.ts'
import { configPath } from './config-path.ts'
import { refundDeposit } from './refund-deposit.ts'
import { endpointsIn, formsOf, type NodeOptions } from './refund-node.ts'
import type { Terminal } from './terminal.ts'

export type RefundOptions = NodeOptions & {
  /** Exactly one of `package` and `order` is given. */
  readonly package?: string
  /** An operator names an order. The package is made from the database of `config`. */
  readonly order?: string
  /** With the package of a deposit address it names the nodes, and chains and assets of the operator's own. */
  readonly config?: string
  readonly deposit?: readonly string[]
  readonly to?: string
  readonly feeRate?: string
  readonly keyFile?: string
  readonly broadcast?: boolean
  readonly json?: boolean
}

type FoundDeposit = SpendableDeposit & {
  readonly unitsLeft: bigint | null
}

export async function refundCommand(options: RefundOptions, terminal: Terminal): Promise<void> {
  const refundPackage = await readPackage(options)
  if (refundPackage.kind === 'deposit-address') return refundDeposit(options, readDepositPackage(refundPackage), terminal)
  const { rescue, endpointKinds } = await requireRescue(refundPackage)
  const node = connect(options, endpointKinds, (endpoints) => rescue.connect(refundPackage, endpoints))
  try {
    const found = await findDeposits(options, rescue, node)
    const chosen = chooseDeposits(found, rescue.timelockUnit, options.broadcast === true)
    const request: RescueRequest = {
      deposits: chosen,
      to: options.to ?? null,
      feeRate: await chooseFeeRate(options, rescue, node),
      privateKey: options.keyFile === undefined ? null : (await readFile(options.keyFile, 'utf8')).trim(),
    }
    const refund = rescue.refund(refundPackage, request)
    if (options.broadcast === true) await node?.broadcast(refund.transaction)
    const report: Report = {
      refund,
      unit: rescue.timelockUnit,
      chosen,
      leftOut: found.filter(({ id }) => !refund.deposits.includes(id)),
      sent: options.broadcast === true,
    }
    if (options.json === true) terminal.answer(JSON.stringify(recordOf(report), null, 2))
    else print(report, terminal)
  } finally {
    await node?.close()
  }
}

async function readPackage({ package: file, order, config }: RefundOptions): Promise<RefundPackage> {
  if ((file === undefined) === (order === undefined)) throw new Error('name either a refund package (--package) or an order (--order)')
  if (order !== undefined) return readRefundPackage(order, config)
  return parsePackage(await readFile(file ?? '', 'utf8'))
}

/** Errors must not quote the file, because it may hold a key. */
function parsePackage(text: string): RefundPackage {
  const whole = parseJson(text)
  const value = unwrap(whole, 'result', 'refund_package') ?? unwrap(whole, 'refund_package') ?? whole
  if (!isRecord(value) || typeof value.family !== 'string' || typeof value.chain !== 'string')
    throw new Error('this is not a refund package: expected the refund_package from the response of POST /orders, as JSON')
  return { ...value, family: value.family as FamilyName, chain: value.chain }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error('this is not a refund package: the file is not JSON', { cause })
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unwrap(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value)
}

type Rescuer = { readonly rescue: Rescue; readonly endpointKinds: readonly string[] }

async function requireRescue({ family, chain }: RefundPackage): Promise<Rescuer> {
  const { rescue, endpointKinds } = await loadFamily(family)
  if (rescue === undefined)
    throw new Error(`there are no refund packages for ${chain}: on chains of the family "${family}" users refund with their own wallets`)
  return { rescue, endpointKinds }
}

function connect(options: RefundOptions, kinds: readonly string[], open: (endpoints: Endpoints) => RescueNode): RescueNode | null {
  const endpoints = endpointsIn(options, kinds)
  if (endpoints === null && options.broadcast === true) throw new Error(`--broadcast needs a node: give ${formsOf(kinds)}`)
  return endpoints === null ? null : open(endpoints)
}

async function findDeposits({ deposit }: RefundOptions, rescue: Rescue, node: RescueNode | null): Promise<readonly FoundDeposit[]> {
  const named = deposit?.map(rescue.parseDeposit) ?? null
  if (node === null) {
    if (named === null) throw new Error('without a node, name the deposits: --deposit')
    return named.map((one) => ({ ...one, unitsLeft: null }))
  }
  const unspent = await node.deposits(named?.map(({ id }) => id))
  if (named === null) return unspent
  return named.map(({ id, amount }) => {
    const seen = unspent.find((one) => one.id === id)
    if (seen === undefined)
      throw new Error(`the node does not find the unspent deposit ${id}: it is spent, not mined yet, or does not belong to this package`)
    if (seen.amount !== amount) throw new Error(`the amount of the deposit ${id} is ${seen.amount}, not ${amount}`)
    return seen
  })
}

/** Deposits that can be refunded now do not wait for the others. While none can be, all of them are signed for later. */
function chooseDeposits(found: readonly FoundDeposit[], unit: TimelockUnit, forNow: boolean): readonly FoundDeposit[] {
  if (found.length === 0) throw new Error('there is no mined and unspent deposit at the address of the package')
  const due = found.filter(({ unitsLeft }) => unitsLeft === null || unitsLeft <= 0n)
  if (due.length > 0) return due
  if (forNow) throw new Error(`it is too early to send the refund: the first deposit can be refunded ${afterUnits(soonest(found), unit)}`)
  return found
}

type TimelockUnit = Rescue['timelockUnit']

/** The text is like 'after 1 more block' or 'after 90 more seconds'. */
function afterUnits(count: bigint, unit: TimelockUnit): string {
  return `after ${count} more ${count === 1n ? unit.slice(0, -1) : unit}`
}

function soonest(found: readonly FoundDeposit[]): bigint {
  return found.reduce((min, { unitsLeft }) => (unitsLeft !== null && unitsLeft < min ? unitsLeft : min), found[0]?.unitsLeft ?? 0n)
}

async function chooseFeeRate({ feeRate }: RefundOptions, rescue: Rescue, node: RescueNode | null): Promise<bigint> {
  if (feeRate !== undefined) return rescue.parseFeeRate(feeRate)
  if (node === null) throw new Error('without a node, give the fee rate: --fee-rate')
  return node.feeRate()
}

type Report = {
  readonly refund: RescueRefund
  readonly unit: TimelockUnit
  readonly chosen: readonly FoundDeposit[]
  readonly leftOut: readonly FoundDeposit[]
  readonly sent: boolean
}

function unitsLeftOf({ refund, chosen }: Report): bigint | null {
  const left = chosen.filter(({ id }) => refund.deposits.includes(id)).map(({ unitsLeft }) => unitsLeft)
  return left.reduce((max, units) => (max === null || units === null ? null : units > max ? units : max), left[0] ?? null)
}

function validityOf(report: Report): string {
  const left = unitsLeftOf(report)
  if (left === null) return `${report.refund.timelock} ${report.unit} after the block of its newest deposit`
  return left <= 0n ? 'now' : afterUnits(left, report.unit)
}

function print(report: Report, terminal: Terminal): void {
  const { refund, unit, leftOut, sent } = report
  terminal.note(
    [
      `Refund of ${refund.deposits.join(', ')}`,
      `  pays   ${refund.pays} to ${refund.to}`,
      `  fee    ${refund.fee}`,
      `  txid   ${refund.tx}`,
      `  valid  ${validityOf(report)}`,
      ...leftOut.map(({ id, amount, unitsLeft }) => `  left out: ${id} of ${amount}, ${whyNot(unitsLeft, unit)}`),
      sent ? 'It is sent:' : 'Signed, not sent; any node or wallet can send it once it is valid:',
    ].join('\n'),
  )
  terminal.answer(refund.transaction)
}

function whyNot(unitsLeft: bigint | null, unit: TimelockUnit): string {
  return unitsLeft !== null && unitsLeft > 0n ? `which can be refunded ${afterUnits(unitsLeft, unit)}` : 'which is not worth its fee'
}

function recordOf(report: Report) {
  const { refund, unit, leftOut, sent } = report
  return {
    txid: refund.tx,
    transaction: refund.transaction,
    deposits: refund.deposits,
    to: refund.to,
    pays: refund.pays.toString(),
    fee: refund.fee.toString(),
    timelock: Number(refund.timelock),
    timelock_unit: unit,
    timelock_left: unitsLeftOf(report) === null ? null : Number(unitsLeftOf(report)),
    left_out: leftOut.map(({ id, amount }) => ({ deposit: id, amount: amount.toString() })),
    sent,
  }
}

export async function readRefundPackage(orderId: string, config: string | undefined): Promise<RefundPackage> {
  const loaded = await loadConfig(ServiceConfig, configPath(config))
  const vault = await readVault(loaded, 'this command')
  const network = await createNetwork(await networkSettings(loaded))
  const db = await openDatabase(await loaded.readSecret(loaded.config.database_url))
  try {
    const stored = await findOrder(db, orderId)
    if (stored === null) throw new Error(`there is no order ${orderId}`)
    assertSealed(vault, stored)
    const { chain, terms, userAddress } = stored.order.source
    const { orderKeys } = clientFor(network.clients, chain)
    if (orderKeys === undefined) throw new Error(`order ${orderId} has no refund package: on ${chain} users refund with their own wallets`)
    return orderKeys.refundPackage(terms, await vault.get(db, orderId, 'source-key'), userAddress)
  } finally {
    await network.close()
    await db.destroy()
  }
}
