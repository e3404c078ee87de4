/** A process of the API has an engine sign claims: what anyone may cause by reading them, and what comes back without an engine. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { localChains } from '@tandem/families/registry.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { createSealer, createVault, deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { answering, answerQuestions } from '../engine-questions/answer-questions.ts'
import { openEngineQuestions } from '../engine-questions/ask-engine.ts'
import { createFakeChain } from '../testing/fake-chain.fixture.ts'
import { askForClaims } from './ask-for-claims.ts'
import { type ClaimQuestion, type ClaimState, claimQuestions, type SignClaims } from './claim-question.ts'
import { createClaims } from './claims.ts'

const chain = 'ethereum_localnet'
const [usdc, wbtc] = [`${chain}:usdc`, `${chain}:wbtc`] as const
const keys = createKeyring([createKey('secp256k1', '11'.repeat(32))])
const log = createLogger({ name: 'test', level: 'silent' })
const vault = createVault(VAULT_KEY)
const sealer = createSealer(deriveSealingKeys(VAULT_KEY))
const store = sharedStore()

const opened: { stop(): Promise<void> }[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(opened.splice(0).map((one) => one.stop()))
})

const notUsed = (): never => {
  throw new Error('not used')
}

function fakeClient(): ChainClient {
  const row = localChains.find(({ id }) => id === chain)
  if (row === undefined) throw new Error(`no ${chain}`)
  const fake = createFakeChain(row, 'account')
  const distributor = {
    contractOf: () => 'the contract',
    tokenOf: notUsed,
    isDeployed: notUsed,
    paid: notUsed,
    sign: notUsed,
    deploy: notUsed,
    fund: notUsed,
  }
  return { ...fake, text: { ...fake.text, parseAddress: (text: string) => text }, distributor }
}

const clients = new Map([[chain, fakeClient()]])
const earned = (affiliate: string, asset: AssetId = usdc, total = 5n) => ({ affiliate, chain, asset, total })
const claim = (affiliate: string, digits = 1): ClaimState => {
  const amount = 10n ** BigInt(digits - 1)
  return { kind: 'claimable', amount, total: amount, signature: `0x${'ab'.repeat(65)} ${affiliate}`, contract: 'the contract' }
}

/** Each store acts as a separate process. */
function startEngine(sign: SignClaims): void {
  opened.push(answerQuestions({ db: store.db, sealer: vault, log }, [answering(claimQuestions, sign)]))
}

function openApi(waitMs = 60_000, engineProblem: () => string | null = () => null) {
  const questions = openEngineQuestions({ db: store.other, sealer, log }, waitMs)
  opened.push(questions)
  return createClaims(clients, keys, askForClaims({ questions, engineProblem }))
}

/** Holds every answer until it is let go. */
function createGate(): { readonly sign: SignClaims; readonly asked: ClaimQuestion[]; open(): void } {
  const asked: ClaimQuestion[] = []
  let open = (): void => undefined
  const opening = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    asked,
    open,
    async sign(question) {
      asked.push(question)
      await opening
      return question.affiliates.map((affiliate) => claim(affiliate))
    },
  }
}

test('the largest page of the longest accounts and amounts comes back, in its order', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `${index}`.padStart(128, 'x'))
  startEngine(async ({ affiliates }) =>
    affiliates.map((affiliate, index) => (index % 2 === 0 ? claim(affiliate, 78) : { kind: 'unavailable', reason: 'y'.repeat(400) })),
  )
  const states = await openApi().read(names.map((name) => earned(name)))
  expect(states.map((state) => (state.kind === 'claimable' ? state.signature.slice(-128) : state.kind))).toEqual(
    names.map((name, index) => (index % 2 === 0 ? name : 'unavailable')),
  )
})

test('however many read, one question about an asset is open, and each affiliate is in one', async () => {
  const gate = createGate()
  const claims = createClaims(clients, keys, gate.sign)
  const names = ['ann', 'ben', 'cat']
  const reading = Array.from({ length: 200 }, (_, call) => claims.read([earned(names[call % 3] ?? ''), earned('ann', wbtc)]))
  await expect.poll(() => gate.asked.length).toBe(2)
  const later = Array.from({ length: 200 }, () => claims.read([earned('dan'), earned('ann')]))
  gate.open()
  const states = (await Promise.all([...reading, ...later])).flat()
  expect(states.every(({ kind }) => kind === 'claimable')).toBe(true)
  const asked = (asset: AssetId) => gate.asked.filter((one) => one.asset === asset).map(({ affiliates }) => affiliates)
  expect(asked(wbtc)).toEqual([['ann']])
  expect(asked(usdc)).toEqual([['ann', 'ben', 'cat'], ['dan']])
  // What was answered is not kept: the next question is about the chain as it is then.
  await claims.read([earned('ann')])
  expect(asked(usdc)).toHaveLength(3)
})

test('nothing is asked about an account that has nothing to claim', async () => {
  const asked: ClaimQuestion[] = []
  const sign: SignClaims = async (question) => {
    asked.push(question)
    return []
  }
  expect(await createClaims(clients, keys, sign).read([earned('ann', usdc, 0n)])).toEqual([{ kind: 'none' }])
  expect(asked).toEqual([])
})

test('without an engine that signs, claims are unavailable with the reason, and others who read wait no longer', async () => {
  const claims = openApi(500)
  const reason = 'no engine signed the claim within 0.5 s: one must run whose configuration has the private key in earnings.signing_key'
  const all = Array.from({ length: 120 }, (_, index) => earned(`${index}`))
  expect(new Set((await claims.read(all)).map((state) => JSON.stringify(state)))).toEqual(
    new Set([JSON.stringify({ kind: 'unavailable', reason })]),
  )
})

test('a question that failed rests: the next readers get its error without another question', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let asked = 0
  const questions = {
    ask: () => {
      asked += 1
      return Promise.reject(new TandemError('internal', 'the engine failed'))
    },
  }
  const claims = createClaims(clients, keys, askForClaims({ questions, engineProblem: () => null }))
  for (const name of ['ann', 'ben', 'cat'])
    expect(await claims.read([earned(name)])).toEqual([{ kind: 'unavailable', reason: 'the engine failed' }])
  expect(asked).toBe(1)
  vi.advanceTimersByTime(5_000)
  await claims.read([earned('ann')])
  expect(asked).toBe(2)
})

test('while no engine runs, nothing is asked', async () => {
  const claims = openApi(3_600_000, () => 'no engine is running')
  expect(await claims.read([earned('ann')])).toEqual([{ kind: 'unavailable', reason: 'claims cannot be signed now: no engine is running' }])
})

test('an engine that starts while the API waits signs', async () => {
  const reading = openApi().read([earned('ann')])
  startEngine(async ({ affiliates }) => affiliates.map((affiliate) => claim(affiliate)))
  expect(await reading).toEqual([claim('ann')])
})

test.each([
  ['fails', () => Promise.reject(new Error('secret-key')), 'internal error; the log of the engine says more'],
  ['answers too little', async () => [], 'the engine answered for 0 of 1 affiliates'],
] satisfies [string, SignClaims, string][])('an engine that %s gives a reason and no error', async (_, sign, reason) => {
  startEngine(sign)
  expect(await openApi().read([earned('ann')])).toEqual([{ kind: 'unavailable', reason }])
})
