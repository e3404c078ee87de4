// This test plays every scenario of the Cairo contract on the re-implemented HTLC, from the same lists of felts.
import { type TypedData, typedData } from 'starknet'
import { describe, expect, it } from 'vitest'
import { type Deployment, type OrderTerms, orderId } from '../../contract/client/order.ts'
import { initiateDigest, refundTypedData } from '../../contract/client/typed-data.ts'
import { encodeScenario } from '../../contract/testing/encode.ts'
import { partyAddresses, scenarioChainId } from '../../contract/testing/scenario.ts'
import { scenarios } from '../../contract/testing/scenarios.ts'
import { readCalldata } from '../execution/calldata.ts'
import { createGasMeter } from '../execution/gas.ts'
import { Panic } from '../execution/panic.ts'
import { construct, type EmittedEvent, runCall } from '../execution/run-call.ts'
import { overlay, type State } from '../execution/state.ts'
import { type Felts, hex, selectorOf, shortString, textOf } from '../felt.ts'
import { htlcClass } from './htlc.ts'
import { scenarioAccount, scenarioParty, scenarioToken } from './scenario-mocks.fixture.ts'

const classes = [htlcClass, scenarioToken, scenarioAccount, scenarioParty]
const byHash = new Map(classes.map((one) => [one.classHash, one]))
const names = new Map(classes.flatMap(({ entryPoints }) => Object.keys(entryPoints).map((name) => [selectorOf(name), name])))
const classSet = { find: (classHash: bigint) => byHash.get(classHash), entryPointName: (selector: bigint) => names.get(selector) }
const [htlc, token, account] = [0x471cn, 0x70cen, 0xaccn]

/** cairo/player.cairo explains the felts. Throws at the first difference. */
function play(scenario: Felts): void {
  const state = overlay({ get: () => 0n })
  const logs: EmittedEvent[] = []
  let [chainId, timestamp, caller, order, digest, position] = [shortString(scenarioChainId), 1, 0n, 0n, 0n, 0]

  const executionOn = (on: State, events: EmittedEvent[]) => ({
    state: on,
    classes: classSet,
    block: { number: 1, timestamp },
    transaction: { hash: 0n, signature: [], isQuery: false },
    chainId,
    events,
    gas: createGasMeter(),
  })
  const setUp = (address: bigint, classHash: bigint, calldata: Felts) =>
    construct(executionOn(state, []), { address, classHash, calldata, caller: 0n })
  setUp(token, scenarioToken.classHash, [])
  setUp(htlc, htlcClass.classHash, [token])
  setUp(account, scenarioAccount.classHash, [])
  for (const party of Object.values(partyAddresses)) setUp(BigInt(party), scenarioParty.classHash, [])

  const take = () => scenario[position++] ?? 0n
  const places = new Map([
    ['@htlc', () => htlc],
    ['@token', () => token],
    ['@account', () => account],
    ['@id', () => order],
    ['@digest', () => digest],
  ])
  const resolve = (felt: bigint) => places.get(textOf(felt) ?? '')?.() ?? felt
  const takeMany = (count: number) => Array.from({ length: count }, () => resolve(take()))
  const takeList = () => takeMany(Number(take()))

  const deploymentOn = (chain: bigint): Deployment => ({ chainId: hex(chain), address: hex(htlc) })

  /** The domain of the message names the chain; the order keeps its id when the chain has another one. */
  function refundDigestOn(chain: bigint, terms: OrderTerms): bigint {
    const { domain, ...rest } = refundTypedData(deploymentOn(shortString(scenarioChainId)), terms)
    return BigInt(typedData.getMessageHash({ ...rest, domain: { ...domain, chainId: hex(chain) } } as unknown as TypedData, terms.redeemer))
  }

  function takeTerms(): OrderTerms {
    const [initiator = 0n, redeemer = 0n, ...rest] = takeMany(13)
    const terms = readCalldata(rest)
    const [timelock, amount, words] = [terms.u128(), terms.u256(), terms.words()]
    const secretHash = words.map((word) => word.toString(16).padStart(8, '0')).join('')
    return { initiator: hex(initiator), redeemer: hex(redeemer), timelock, amount, secretHash }
  }

  function call(): Felts {
    const [to, selector] = [resolve(take()), take()]
    const calldata = takeList()
    const attempt = overlay(state)
    const events: EmittedEvent[] = []
    const answer = runCall(executionOn(attempt, events), { to, selector, calldata, caller })
    attempt.commit(state)
    logs.push(...events.filter(({ address }) => address === htlc))
    return answer
  }

  function reasonOf(task: () => unknown): bigint {
    try {
      task()
      return 0n
    } catch (error) {
      if (error instanceof Panic) return error.felts[0] ?? shortString(error.message.slice(0, 31))
      throw error
    }
  }

  while (position < scenario.length) {
    const at = position
    switch (textOf(take())) {
      case 'CALL': {
        timestamp = Number(take())
        caller = resolve(take())
        const reason = reasonOf(call)
        expect(textOf(reason) ?? reason, `felt ${at}`).toBe(textOf(take()) ?? 0n)
        break
      }
      case 'ORDER':
        order = BigInt(orderId(deploymentOn(shortString(scenarioChainId)), takeTerms()))
        break
      case 'DIGEST': {
        const what = textOf(take())
        const [chain, terms] = [take(), takeTerms()]
        digest = what === 'initiate' ? BigInt(initiateDigest(deploymentOn(chain), terms)) : refundDigestOn(chain, terms)
        break
      }
      case 'ANSWER':
        expect(call(), `felt ${at}`).toEqual(takeList())
        break
      case 'EVENT':
        expect(logs.shift(), `felt ${at}`).toEqual({ address: htlc, keys: takeList(), data: takeList() })
        break
      case 'CHAIN':
        chainId = take()
        break
      case 'QUIET':
        expect(logs, `felt ${at}`).toEqual([])
        break
      default:
        throw new Error(`unknown step at felt ${at}`)
    }
  }
}

describe('the simulated HTLC', () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', (_name, scenario) => {
    play(encodeScenario(scenario).map(BigInt))
  })
})
