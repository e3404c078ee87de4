/** The few questions that only a Tron node's own HTTP API answers: prices, resources, results of calls; and the way in for transactions. */
import { type Address, type Hex, hexToString, isHex } from 'viem'
import { callHttp, HttpFailure } from '../../http-client.ts'
import { ChainFailure } from '../family.ts'
import { prefixed } from './transaction.ts'

/**
 * accepted   the node has it, now or from before
 * expired    its time is over, by the node's newest block
 * stale      the node does not have the block that it refers to
 */
export type Verdict = 'accepted' | 'expired' | 'stale'

export type Resources = {
  /** From staking, free of charge. */
  readonly energy: bigint
}

export interface WalletApi {
  /** To every node there is. Rejects with `would-fail` in the node's words when it will not have it. */
  broadcast(raw: Hex): Promise<Verdict>
  /** In sun for one unit of energy. */
  energyPrice(): Promise<bigint>
  resources(account: Address): Promise<Resources>
  /** What became of a mined call: SUCCESS, REVERT, OUT_OF_ENERGY, …; null when it is not mined. */
  result(tx: string): Promise<string | null>
  close(): void
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const PRICE_KEEP_MS = 30_000
const JSON_HEADERS = { 'content-type': 'application/json' } as const

const verdicts: Readonly<Record<string, Verdict>> = {
  SUCCESS: 'accepted',
  DUP_TRANSACTION_ERROR: 'accepted',
  TRANSACTION_EXPIRATION_ERROR: 'expired',
  TAPOS_ERROR: 'stale',
}
/** The node's own trouble, which says nothing about the transaction. */
const troubles: ReadonlySet<string> = new Set(['SERVER_BUSY', 'NO_CONNECTION', 'NOT_ENOUGH_EFFECTIVE_CONNECTION', 'BLOCK_UNSOLIDIFIED'])

export function createWalletApi(urls: readonly string[]): WalletApi {
  const closing = new AbortController()
  let price: { readonly sun: bigint; readonly until: number } | null = null

  async function ask(url: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const unreachable = (why: string) => new ChainFailure('unreachable', `${path}: ${why}`)
    try {
      const { status, text } = await callHttp({
        url: `${url.replace(/\/+$/, '')}/wallet/${path}`,
        headers: JSON_HEADERS,
        body: JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        signal: closing.signal,
      })
      const answer = parseObject(text)
      if (answer === null) throw unreachable(`HTTP ${status} without a JSON object`)
      if (typeof answer.Error === 'string') throw unreachable(answer.Error.slice(0, 300))
      return answer
    } catch (error) {
      if (error instanceof HttpFailure) throw unreachable(closing.signal.aborted ? 'the connection was closed' : error.message)
      throw error
    }
  }

  /** Of the first that answers. */
  async function askAny(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    let last: unknown = new ChainFailure('unreachable', `${path}: there is no node`)
    for (const url of urls) {
      try {
        return await ask(url, path, body)
      } catch (error) {
        last = error
      }
    }
    throw last
  }

  async function broadcastTo(url: string, raw: Hex): Promise<Verdict> {
    const { code, message } = await ask(url, 'broadcasthex', { transaction: raw.slice(2) })
    const verdict = typeof code === 'string' ? verdicts[code] : undefined
    if (verdict !== undefined) return verdict
    const words = `${typeof code === 'string' ? code : 'no code'}${wordsOf(message)}`
    if (typeof code !== 'string' || troubles.has(code))
      throw new ChainFailure('unreachable', `the node did not take the transaction: ${words}`)
    throw new ChainFailure('would-fail', `the node refused the transaction: ${words}`)
  }

  return {
    async broadcast(raw) {
      const answers = await Promise.allSettled(urls.map((url) => broadcastTo(url, raw)))
      const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      const best = given.find((verdict) => verdict === 'accepted') ?? given[0]
      if (best !== undefined) return best
      const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
      throw failures.find((error) => error instanceof ChainFailure && error.kind === 'would-fail') ?? failures[0]
    },
    async energyPrice() {
      if (price !== null && performance.now() < price.until) return price.sun
      const { chainParameter } = await askAny('getchainparameters', {})
      const found = Array.isArray(chainParameter) ? chainParameter.find((parameter) => parameter?.key === 'getEnergyFee') : undefined
      const sun = amountOf(found?.value)
      if (sun === 0n) throw new ChainFailure('unreachable', 'getchainparameters: the node tells no price of energy')
      price = { sun, until: performance.now() + PRICE_KEEP_MS }
      return sun
    },
    async resources(account) {
      const { EnergyLimit, EnergyUsed } = await askAny('getaccountresource', { address: prefixed(account) })
      const left = amountOf(EnergyLimit) - amountOf(EnergyUsed)
      return { energy: left > 0n ? left : 0n }
    },
    async result(tx) {
      const { id, receipt } = await askAny('gettransactioninfobyid', { value: tx })
      if (id === undefined) return null
      const result = typeof receipt === 'object' && receipt !== null && 'result' in receipt ? receipt.result : 'SUCCESS'
      return String(result)
    },
    close: () => closing.abort(),
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? (answer as Record<string, unknown>) : null
  } catch {
    return null
  }
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
