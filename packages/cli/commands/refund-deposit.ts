/** `tandem refund` with the package of a deposit address: what lies there goes to its owner, by any key that pays the fee. */
import type { Prefund, PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { connectChain, familyNamed } from '@tandem/families/index.ts'
import type { Key } from '@tandem/keys/key.ts'
import { type DepositPackage, termsOf } from '@tandem/protocol/funding/deposit-package.ts'
import { findTarget } from './deploy-target.ts'
import { oneKeyOutbox } from './one-key-outbox.ts'
import { readKey } from './read-key.ts'
import { endpointsIn, type NodeOptions } from './refund-node.ts'
import type { Terminal } from './terminal.ts'

type Options = NodeOptions & {
  readonly config?: string
  readonly deposit?: readonly string[]
  readonly to?: string
  readonly feeRate?: string
  readonly keyFile?: string
  readonly broadcast?: boolean
  readonly json?: boolean
}

export async function refundDeposit(options: Options, given: DepositPackage, terminal: Terminal): Promise<void> {
  assertOptions(options)
  const client = await connect(options, given)
  try {
    const deposit = await openDeposit(client, given)
    const tx = options.broadcast === true ? await send(options, deposit) : null
    const found: Found = { given, held: deposit.held, tx }
    if (options.json === true) terminal.answer(JSON.stringify(recordOf(found), null, 2))
    else print(found, terminal)
  } finally {
    await client.close()
  }
}

/** The owner gets all of it: no amount, fee or recipient can be chosen. */
function assertOptions({ deposit, to, feeRate, keyFile, broadcast }: Options): void {
  const others = Object.entries({ '--deposit': deposit, '--to': to, '--fee-rate': feeRate }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
  if (others.length > 0)
    throw new Error(`${others.join(', ')}: not for a deposit address, from which everything goes to the owner that the package names`)
  if (broadcast === true && keyFile === undefined) throw new Error('--broadcast needs a key that pays the fee: --key-file <file>')
}

/** The package names the contract. `verifyNode` makes sure that its code is ours, so no configuration has to list it. */
async function connect(options: Options, { chain: name, asset: id, htlc, token }: DepositPackage): Promise<ChainClient> {
  const { node, esplora, config } = options
  const isNamed = node !== undefined || esplora !== undefined
  const where = { chain: name, nodeOption: '--node rpc=URL', ...(config !== undefined && { config }), ...(isNamed && { rpc: [] }) }
  const { chain, assets, nodes } = await findTarget(where)
  const endpoints = endpointsIn(options, familyNamed(chain.family).endpointKinds)
  const asset = assets.find((one) => one.id === id)
  if (asset === undefined) throw new Error(`there is no asset "${id}" on ${name}: a configuration that adds it is named with --config`)
  return connectChain(chain, { ...(endpoints === null ? nodes : { endpoints }), assets: [{ ...asset, deployment: { htlc, token } }] })
}

type Deposit = {
  readonly client: ChainClient
  readonly prefund: Prefund
  readonly swap: PrefundedSwap
  /** In the smallest unit of the asset. */
  readonly held: bigint
}

async function openDeposit(client: ChainClient, given: DepositPackage): Promise<Deposit> {
  const { prefund } = client
  if (prefund?.addressOf === undefined) throw new Error(`orders on ${client.chain.id} have no deposit addresses`)
  const swap: PrefundedSwap = { terms: termsOf(given), deadline: BigInt(given.deadline) }
  const address = prefund.addressOf(swap)
  if (given.family !== client.chain.family)
    throw new Error(`the parts of the package disagree: ${client.chain.id} is not of the family "${given.family}"`)
  if (address !== given.address)
    throw new Error(`the parts of the package disagree: its terms have the deposit address ${address}, it names ${given.address}`)
  await client.verifyNode()
  const [held = 0n] = await prefund.amounts([swap])
  return { client, prefund, swap, held }
}

async function send(options: Options, deposit: Deposit): Promise<string> {
  const { client, prefund, swap } = deposit
  const key = await readKey(options, client.curve)
  const outbox = oneKeyOutbox(key, { kind: 'rescue', chain: client.chain.id, terms: swap.terms })
  const tx = await prefund.reclaim(swap, outbox).catch(async (error: unknown) => {
    throw (await isTooEarly(error, key, deposit)) ? tooEarly(deposit, error) : error
  })
  if (tx === null) throw new Error(`there is nothing of ${swap.terms.asset} at the deposit address: nothing is sent`)
  return tx
}

/** Until the deadline the contract refuses everybody but the owner, unless the money can be locked no more. */
async function isTooEarly(error: unknown, key: Key, { client, swap: { terms, deadline } }: Deposit): Promise<boolean> {
  if (!(error instanceof ChainFailure) || error.kind !== 'would-fail') return false
  if (client.identityOf(key) === client.text.parseAddress(terms.initiator)) return false
  return (await client.tip()).time <= deadline
}

function tooEarly({ swap: { terms, deadline } }: Deposit, cause: unknown): Error {
  const said = cause instanceof Error ? cause.message : String(cause)
  const rule = `until ${timeOf(deadline)} only the owner, ${terms.initiator}, can take back what can still be locked`
  return new Error(`${said}: ${rule}; use the key of the owner, or wait`, { cause })
}

type Found = { readonly given: DepositPackage; readonly held: bigint; readonly tx: string | null }

function print({ given, held, tx }: Found, terminal: Terminal): void {
  const { address, chain, asset, initiator, deadline } = given
  terminal.note(
    [
      `Deposit address ${address} on ${chain}`,
      `  holds     ${held} of ${asset}`,
      `  goes to   ${initiator}`,
      `  deadline  ${timeOf(BigInt(deadline))}`,
      tx === null
        ? held === 0n
          ? 'There is nothing to return.'
          : 'Nothing is sent. --broadcast returns it, with any key that pays the fee: --key-file. Before the deadline it must be the key of the owner.'
        : 'It is sent:',
    ].join('\n'),
  )
  terminal.answer(tx ?? held.toString())
}

function recordOf({ given: { chain, address, asset, initiator, deadline }, held, tx }: Found) {
  return { chain, address, asset, held: held.toString(), to: initiator, deadline: Number(deadline), txid: tx, sent: tx !== null }
}

/** A text of a package may be no time at all. */
function timeOf(seconds: bigint): string {
  return seconds > 8_640_000_000_000n ? `the time ${seconds}` : new Date(Number(seconds) * 1000).toISOString()
}
