/** Calls the HTTP API of one Tron node for what its Ethereum JSON-RPC does not offer: prices, resources, results, and broadcasts. */

import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { Refusal, saysTooMany } from '@tandem/chain-kit/providers/refusal.ts'
import { type Address, type Hex, hexToString, isHex } from 'viem'
import { prefixed, type TronCall } from '../send/raw-data.ts'
import type { SignedCall } from '../send/transaction.ts'

/**
 * accepted   the node has it, now or since an earlier broadcast
 * expired    it has expired by the time of the node's newest block
 * stale      the node does not have the block that it refers to
 * duplicate  the node has seen it before, does not have it, and will not accept it again
 */
export type BroadcastResult = 'accepted' | 'expired' | 'stale' | 'duplicate'

export type CallResult = {
  readonly result: string
  readonly energy: bigint
}

export type SimulatedCall = {
  readonly isReverted: boolean
  readonly output: Hex
  /** The energy is 0 where the node does not report it. */
  readonly energy: bigint
}

/** Rejects with `ChainFailure('unreachable')` when there is no usable answer, and with a Refusal when the node answers with an error. */
export interface WalletNode {
  broadcast(signed: Pick<SignedCall, 'tx' | 'raw'>): Promise<BroadcastResult>
  /** The price of one unit of energy is in sun. */
  energyPrice(): Promise<bigint>
  stakedEnergy(account: Address): Promise<bigint>
  result(tx: string): Promise<CallResult | null>
  /** The simulation returns revert data, which the Ethereum JSON-RPC of nodes before 4.8.1 does not. */
  simulateCall(call: Pick<TronCall, 'to' | 'data'> & { readonly from?: Address }): Promise<SimulatedCall>
  close(): void
}

type Answer = Readonly<Record<string, unknown>>

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const MAX_MESSAGE_LENGTH = 300
/**
 * In sun, the price was 10 at first and 420 at its highest. One outside these bounds is a mistake, or a lie that would empty our account.
 */
const plausiblePrice = { min: 1n, max: 2_000n } as const
const NOBODY: Address = '0x0000000000000000000000000000000000000000'

const broadcastResults: Readonly<Record<string, BroadcastResult>> = {
  SUCCESS: 'accepted',
  TRANSACTION_EXPIRATION_ERROR: 'expired',
  TAPOS_ERROR: 'stale',
}
/** Such an error is a fault of the node itself, and says nothing about the transaction. */
const troubles: ReadonlySet<string> = new Set(['SERVER_BUSY', 'NO_CONNECTION', 'NOT_ENOUGH_EFFECTIVE_CONNECTION', 'BLOCK_UNSOLIDIFIED'])

export function createWalletNode(endpoint: Endpoint): WalletNode {
  const http = createProviderHttp(endpoint, MAX_ANSWER_BYTES)

  async function ask(method: string, body: object): Promise<Answer> {
    const { status, text } = await http.request({
      what: method,
      path: `/wallet/${method}`,
      body: JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
    })
    const unreachable = (why: string) => new ChainFailure('unreachable', `${method}: ${why}`)
    // A node answers its own errors with 200 too; other codes come from a proxy in front of it.
    if (status !== 200) throw unreachable(`HTTP ${status}`)
    const answer = parseObject(text())
    if (answer === null) throw unreachable('no JSON object')
    if (typeof answer.Error === 'string' && saysTooMany(answer.Error)) throw http.limited()
    if (typeof answer.Error === 'string') throw unreachable(answer.Error.slice(0, MAX_MESSAGE_LENGTH))
    return answer
  }

  async function isKnown(tx: string): Promise<boolean> {
    for (const method of ['gettransactionfrompending', 'gettransactionbyid'])
      if ((await ask(method, { value: tx })).txID === tx) return true
    return false
  }

  return {
    async broadcast({ tx, raw }) {
      const { code, message } = await ask('broadcasthex', { transaction: raw.slice(2) })
      // Some nodes remember every broadcast for an hour, even refused ones.
      if (code === 'DUP_TRANSACTION_ERROR') return (await isKnown(tx)) ? 'accepted' : 'duplicate'
      const result = typeof code === 'string' ? broadcastResults[code] : undefined
      if (result !== undefined) return result
      const words = `${typeof code === 'string' ? code : 'no code'}${wordsOf(message)}`
      if (typeof code !== 'string' || troubles.has(code))
        throw new ChainFailure('unreachable', `the node did not accept the transaction: ${words}`)
      throw new Refusal(0, `the node refused the transaction: ${words}`)
    },
    energyPrice: async () => priceIn(await ask('getchainparameters', {})),
    stakedEnergy: async (account) => stakedIn(await ask('getaccountresource', { address: prefixed(account) })),
    result: async (tx) => resultIn(await ask('gettransactioninfobyid', { value: tx }), tx),
    async simulateCall({ from = NOBODY, to, data }) {
      const body = { owner_address: prefixed(from), contract_address: prefixed(to), data: data.slice(2) }
      return simulationIn(await ask('triggerconstantcontract', body))
    },
    close: http.close,
  }
}

function priceIn({ chainParameter }: Answer): bigint {
  const found = Array.isArray(chainParameter) ? chainParameter.find((parameter) => parameter?.key === 'getEnergyFee') : undefined
  const sun = amountOf(found?.value)
  if (sun < plausiblePrice.min || sun > plausiblePrice.max)
    throw new ChainFailure('unreachable', `getchainparameters: implausible energy price of ${sun} sun`)
  return sun
}

function stakedIn({ EnergyLimit, EnergyUsed }: Answer): bigint {
  const left = amountOf(EnergyLimit) - amountOf(EnergyUsed)
  return left > 0n ? left : 0n
}

/** The answer is `{}` if the transaction is not mined. */
function resultIn({ id, receipt }: Answer, tx: string): CallResult | null {
  if (id === undefined) return null
  if (id !== tx || typeof receipt !== 'object' || receipt === null) throw malformed('gettransactioninfobyid')
  const { result = 'SUCCESS', energy_usage_total: energy } = receipt as Answer
  return { result: String(result), energy: amountOf(energy) }
}

/** A call that fails without a revert, e.g. because it is too long, has no result. Then the node says why. */
function simulationIn({ result, constant_result: outputs, energy_used: energy, transaction }: Answer): SimulatedCall {
  const { message, result: isDone } = typeof result === 'object' && result !== null ? (result as Answer) : {}
  if (isDone !== true) throw new Refusal(0, `triggerconstantcontract: the node could not simulate the call${wordsOf(message)}`)
  const output = `0x${Array.isArray(outputs) ? outputs.join('') : '?'}`
  const ret = typeof transaction === 'object' && transaction !== null ? (transaction as Answer).ret : undefined
  if (!isHex(output) || !Array.isArray(ret)) throw malformed('triggerconstantcontract')
  return { isReverted: ret[0]?.ret === 'FAILED', output, energy: amountOf(energy) }
}

function malformed(method: string): ChainFailure {
  return new ChainFailure('unreachable', `${method}: the node's answer is malformed`)
}

function amountOf(value: unknown): bigint {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? BigInt(value) : 0n
}

/** Some versions answer their messages in hex. */
function wordsOf(message: unknown): string {
  if (typeof message !== 'string' || message === '') return ''
  const hex = `0x${message}`
  return `: ${(isHex(hex) && hex.length % 2 === 0 ? hexToString(hex) : message).slice(0, MAX_MESSAGE_LENGTH)}`
}

function parseObject(text: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? (answer as Answer) : null
  } catch {
    return null
  }
}
