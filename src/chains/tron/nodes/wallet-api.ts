/** The few questions that only a Tron node's own HTTP API answers: prices, resources, trials and results of calls; and the way in for transactions. */
import { type Address, type Hex, hexToString, isHex } from 'viem'
import { ChainFailure } from '../../port/failure.ts'
import { prefixed, type SignedCall, type TronCall } from '../send/transaction.ts'
import { type Answer, createWalletNodes } from './wallet-nodes.ts'

/**
 * accepted   the node has it, now or from before
 * expired    its time is over, by the node's newest block
 * stale      the node does not have the block that it refers to
 * shunned    the node has seen it before, does not have it, and takes it no more
 */
export type Verdict = 'accepted' | 'expired' | 'stale' | 'shunned'

export type Resources = {
  /** From staking, free of charge. */
  readonly energy: bigint
}

export type CallResult = {
  /** SUCCESS, REVERT, OUT_OF_ENERGY, … */
  readonly result: string
  readonly energy: bigint
}

export type Trial = {
  readonly isReverted: boolean
  /** What the call returned, or reverted with. */
  readonly output: Hex
  /** As far as the nodes tell; else 0. */
  readonly energy: bigint
}

export interface WalletApi {
  /** To every node there is. Rejects in a node's words when one will not have it: with `would-fail` if none takes it, with `unreachable` if fewer than the quorum do. */
  broadcast(signed: Pick<SignedCall, 'tx' | 'raw'>): Promise<Verdict>
  /** In sun for one unit of energy. */
  energyPrice(): Promise<bigint>
  resources(account: Address): Promise<Resources>
  /** What became of a mined call; null when it is not mined. */
  result(tx: string): Promise<CallResult | null>
  /** Of a call that is not sent. Tells what it reverts with, which the Ethereum-like interface of nodes before 4.8.1 keeps to itself. */
  tryCall(call: TronCall): Promise<Trial>
  close(): void
}

const PRICE_KEEP_MS = 30_000
/** In sun. It was 10 in the beginning and 420 at its highest; what is beyond is a mistake, or a lie that would empty our account. */
const plausiblePrice = { least: 1n, most: 2_000n } as const
/** Whoever asks: a trial needs no account. */
const NOBODY: Address = '0x0000000000000000000000000000000000000000'

const verdicts: Readonly<Record<string, Verdict>> = {
  SUCCESS: 'accepted',
  TRANSACTION_EXPIRATION_ERROR: 'expired',
  TAPOS_ERROR: 'stale',
}
/** The node's own trouble, which says nothing about the transaction. */
const troubles: ReadonlySet<string> = new Set(['SERVER_BUSY', 'NO_CONNECTION', 'NOT_ENOUGH_EFFECTIVE_CONNECTION', 'BLOCK_UNSOLIDIFIED'])

export function createWalletApi(urls: readonly string[], quorum = 1): WalletApi {
  const nodes = createWalletNodes(urls, quorum)
  let price: { readonly sun: bigint; readonly until: number } | null = null

  /** Not above what the honest ones say, as long as fewer than `quorum` are not. */
  const modest = (values: readonly bigint[]) => values.toSorted((a, b) => (a < b ? -1 : 1))[quorum - 1] ?? 0n

  async function broadcastTo(url: string, { tx, raw }: Pick<SignedCall, 'tx' | 'raw'>): Promise<Verdict> {
    const { code, message } = await nodes.ask(url, 'broadcasthex', { transaction: raw.slice(2) })
    // Some nodes remember for an hour what was brought to them, also what they refused.
    if (code === 'DUP_TRANSACTION_ERROR') return (await isKnown(url, tx)) ? 'accepted' : 'shunned'
    const verdict = typeof code === 'string' ? verdicts[code] : undefined
    if (verdict !== undefined) return verdict
    const words = `${typeof code === 'string' ? code : 'no code'}${wordsOf(message)}`
    if (typeof code !== 'string' || troubles.has(code))
      throw new ChainFailure('unreachable', `the node did not take the transaction: ${words}`)
    throw new ChainFailure('would-fail', `the node refused the transaction: ${words}`)
  }

  /** In a block, or waiting for one. */
  async function isKnown(url: string, tx: string): Promise<boolean> {
    for (const path of ['gettransactionfrompending', 'gettransactionbyid'])
      if ((await nodes.ask(url, path, { value: tx })).txID === tx) return true
    return false
  }

  return {
    async broadcast(signed) {
      const answers = await Promise.allSettled(urls.map((url) => broadcastTo(url, signed)))
      const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
      const refusal: ChainFailure | undefined = failures.find((error) => error instanceof ChainFailure && error.kind === 'would-fail')
      const accepted = given.filter((verdict) => verdict === 'accepted').length
      if (accepted >= quorum || (accepted > 0 && refusal === undefined)) return 'accepted'
      // It may be mined, and what it shows is known: that is more than a refusal.
      if (refusal !== undefined) throw accepted > 0 ? new ChainFailure('unreachable', refusal.message, { cause: refusal }) : refusal
      if (given[0] !== undefined) return given[0]
      throw failures[0] ?? new ChainFailure('unreachable', 'there is no node')
    },
    async energyPrice() {
      if (price !== null && performance.now() < price.until) return price.sun
      const question = { read: priceIn, keyOf: String, differing: modest }
      const [sun = 0n] = await nodes.agree('getchainparameters', {}, question)
      price = { sun, until: performance.now() + PRICE_KEEP_MS }
      return sun
    },
    async resources(account) {
      const question = { read: stakedIn, keyOf: String, differing: modest }
      const [energy = 0n] = await nodes.agree('getaccountresource', { address: prefixed(account) }, question)
      return { energy }
    },
    async result(tx) {
      const keyOf = (known: CallResult | null) => (known === null ? '' : `${known.result} ${known.energy}`)
      const [result = null] = await nodes.agree('gettransactioninfobyid', { value: tx }, { read: (answer) => resultIn(answer, tx), keyOf })
      return result
    },
    async tryCall({ to, data }) {
      const body = { owner_address: prefixed(NOBODY), contract_address: prefixed(to), data: data.slice(2) }
      const keyOf = ({ isReverted, output }: Trial) => `${isReverted} ${output}`
      const trials = await nodes.agree('triggerconstantcontract', body, { read: trialIn, keyOf })
      const [first] = trials
      if (first === undefined) throw new Error('who agrees has said something')
      return trials.reduce((lowest, trial) => (trial.energy < lowest.energy ? trial : lowest), first)
    },
    close: nodes.close,
  }
}

function priceIn({ chainParameter }: Answer): bigint {
  const found = Array.isArray(chainParameter) ? chainParameter.find((parameter) => parameter?.key === 'getEnergyFee') : undefined
  const sun = amountOf(found?.value)
  if (sun < plausiblePrice.least || sun > plausiblePrice.most)
    throw new ChainFailure('unreachable', `getchainparameters: the node tells no price of energy that can be: ${sun} sun`)
  return sun
}

function stakedIn({ EnergyLimit, EnergyUsed }: Answer): bigint {
  const left = amountOf(EnergyLimit) - amountOf(EnergyUsed)
  return left > 0n ? left : 0n
}

/** `{}` for what is not mined. */
function resultIn({ id, receipt }: Answer, tx: string): CallResult | null {
  if (id === undefined) return null
  if (id !== tx || typeof receipt !== 'object' || receipt === null) throw malformed('gettransactioninfobyid')
  const { result = 'SUCCESS', energy_usage_total: energy } = receipt as Answer
  return { result: String(result), energy: amountOf(energy) }
}

/** A call that does not revert but fails, as one that is too long does, has no result: the node tells why in words. */
function trialIn({ result, constant_result: outputs, energy_used: energy, transaction }: Answer): Trial {
  const { message, result: isDone } = typeof result === 'object' && result !== null ? (result as Answer) : {}
  if (isDone !== true) throw new ChainFailure('unreachable', `triggerconstantcontract: the node could not try the call${wordsOf(message)}`)
  const output = `0x${Array.isArray(outputs) ? outputs.join('') : '?'}`
  const ret = typeof transaction === 'object' && transaction !== null ? (transaction as Answer).ret : undefined
  if (!isHex(output) || !Array.isArray(ret)) throw malformed('triggerconstantcontract')
  return { isReverted: ret[0]?.ret === 'FAILED', output, energy: amountOf(energy) }
}

function malformed(path: string): ChainFailure {
  return new ChainFailure('unreachable', `${path}: the node's answer is malformed`)
}

/** Absent where it is zero, as protobuf has it. */
function amountOf(value: unknown): bigint {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? BigInt(value) : 0n
}

/** Some versions answer their words in hex. */
function wordsOf(message: unknown): string {
  if (typeof message !== 'string' || message === '') return ''
  const hex = `0x${message}`
  return `: ${(isHex(hex) && hex.length % 2 === 0 ? hexToString(hex) : message).slice(0, 300)}`
}
