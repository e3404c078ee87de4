/** Tests from where a search knows the keys of solvers. */
import { loadFamily } from '@tandem/families/browser.ts'
import { expect, test } from 'vitest'
import { ApiError, NetworkError } from '../client/errors.ts'
import type { SwapContext, TandemOptions } from '../swap/context.ts'
import { addSwap, type SavedSwap } from '../swap/saved-swap.ts'
import { memoryStorage } from '../swap/storage.ts'
import { pinnedSolverKeys } from '../verify/pinned.ts'
import { findDeposits } from './find-deposits.ts'
import { exportFile, importFile } from './rescue-file.ts'
import { newRescueKeys, rescueKeys } from './rescue-keys.ts'
import { learnSolverKeys, solverKeysOn } from './solver-keys.ts'

const CHAIN = 'bitcoin_regtest'
// Points of secp256k1: 2G to 6G.
const [OF_SERVICE, OF_PAGE, OF_SWAP, OF_CALLER, OF_FILE] = [
  'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
  'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9',
  'e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13',
  '2f8bde4d1a07209355b4a7250a5c5128e88b84bddc619ab7cba8d569b240efe4',
  'fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556',
]

const { ownKeys } = await loadFamily('bitcoin')
if (ownKeys === undefined) throw new Error('no keys')
const telling = (keys: unknown) => ({ chains: async () => [{ chain: CHAIN, solver_keys: keys }] })

async function contextOf(client: object, options: Partial<TandemOptions> = {}, phrase: string | null = null) {
  const storage = memoryStorage()
  const made = phrase === null ? await newRescueKeys(storage) : { phrase, keys: await rescueKeys(phrase, storage) }
  return { phrase: made.phrase, context: { storage, keys: made.keys, client, options } as unknown as SwapContext }
}

const swapOn = (chain: string, key: string) =>
  ({
    orderId: `${chain} ${key}`,
    paidFor: { source_swap: { chain, redeemer: key }, destination_swap: { chain: 'other', initiator: 'somebody' } },
  }) as SavedSwap

test('keys of the caller, the page, the service, the swaps and the file are all used, each once', async () => {
  const { context, phrase } = await contextOf(telling([OF_SERVICE, OF_PAGE, 7, 'no key']), { solverKeys: { [CHAIN]: [OF_PAGE] } })
  expect(await solverKeysOn(context, CHAIN, ownKeys, [])).toEqual([OF_PAGE])
  expect(await learnSolverKeys(context)).toBe(true)
  await addSwap(context, swapOn(CHAIN, OF_SWAP))
  await addSwap(context, swapOn('litecoin_regtest', OF_FILE))
  expect(await solverKeysOn(context, CHAIN, ownKeys, [OF_CALLER])).toEqual([OF_CALLER, OF_PAGE, OF_SERVICE, OF_SWAP])

  // The file has them too, and takes what the service names when it is written.
  context.client.chains = telling([OF_FILE]).chains as never
  const file = await exportFile(context)
  const { context: empty } = await contextOf({}, {}, phrase)
  await importFile(empty, file)
  expect(await solverKeysOn(empty, CHAIN, ownKeys, [])).toEqual([OF_SERVICE, OF_PAGE, OF_FILE, OF_SWAP])
})

test('keys that the SDK pins are those of the assets of a chain', () => {
  const listed = { 'bitcoin:btc': { solvers: [OF_SERVICE] }, 'bitcoin_testnet:btc': { solvers: [OF_PAGE] }, 'litecoin:ltc': {} }
  expect(pinnedSolverKeys('bitcoin', listed)).toEqual([OF_SERVICE])
  expect(pinnedSolverKeys('litecoin', listed)).toEqual([])
})

test('a service that is gone, refuses or lies costs nothing that is known', async () => {
  const { context } = await contextOf(telling([OF_SERVICE]))
  await learnSolverKeys(context)
  for (const error of [new NetworkError('gone'), new ApiError('internal', 'no', { httpStatus: 500, retryAfterSeconds: null })]) {
    context.client.chains = () => Promise.reject(error)
    expect(await learnSolverKeys(context)).toBe(false)
  }
  for (const lie of [null, 'text', { 0: 'x' }, Array.from({ length: 500 }, (_, n) => String(n))]) {
    context.client.chains = telling(lie).chains as never
    await learnSolverKeys(context)
  }
  expect(await solverKeysOn(context, CHAIN, ownKeys, [])).toEqual([OF_SERVICE])
})

test('invalid keys do not displace valid ones, and an invalid answer does not prevent that a file is saved', async () => {
  const { context } = await contextOf(telling([...Array.from({ length: 500 }, (_, n) => String(n)), OF_SERVICE]))
  expect(await learnSolverKeys(context)).toBe(true)
  expect(await solverKeysOn(context, CHAIN, ownKeys, [])).toEqual([OF_SERVICE])
  for (const odd of [null, { no: 'list' }, [null], [{ chain: 'moon', solver_keys: [OF_PAGE] }, {}]]) {
    context.client.chains = (async () => odd) as never
    expect(JSON.parse(await exportFile(context)).solvers).toEqual({ [CHAIN]: [OF_SERVICE] })
  }
})

test('a chain that cannot be searched does not stop the search of the others', async () => {
  const fetch = (async (url: string) => {
    if (url.startsWith('http://gone')) throw new Error('gone')
    const paid = { funded_txo_sum: 7, spent_txo_sum: 0 }
    const utxo = { txid: 'ab'.repeat(32), vout: 0, value: 7, status: { confirmed: false } }
    return new Response(
      JSON.stringify(url.endsWith('/utxo') ? [utxo] : { chain_stats: paid, mempool_stats: { ...paid, funded_txo_sum: 0 } }),
    )
  }) as never
  const nodes = { litecoin_regtest: 'http://gone', [CHAIN]: 'http://node', bitcoin_testnet: 'http://unasked' }
  const solverKeys = { litecoin_regtest: [OF_PAGE], [CHAIN]: [OF_PAGE] }
  const { context } = await contextOf({}, { nodes, solverKeys, fetch })
  await expect(findDeposits(context)).rejects.toThrow('the node does not answer')
  const abort = new AbortController()
  const problems: string[] = []
  const onProblem = ({ chain, problem }: { chain: string; problem: string }) => void problems.push(`${chain}: ${problem}`)
  const limited = findDeposits(context, { gap: 0, atLeast: 1, onProblem, signal: abort.signal })
  expect((await limited).map(({ chain, leg }) => `${chain} ${leg}`)).toEqual([`${CHAIN} source`, `${CHAIN} destination`])
  expect(problems).toEqual([
    expect.stringMatching(/^litecoin_regtest: .*the node does not answer/),
    expect.stringMatching(/^bitcoin_testnet: no solver's public key is known/),
  ])
  abort.abort(new Error('enough'))
  await expect(findDeposits(context, { onProblem, signal: abort.signal })).rejects.toThrow('enough')
})

test('a wrong key of the caller is refused, and a search without any key says what is missing', async () => {
  const { context } = await contextOf({}, { nodes: { [CHAIN]: 'http://node' } })
  await expect(findDeposits(context, { solvers: ['02ab'] })).rejects.toThrow('"02ab" is not the public key of a solver')
  await expect(findDeposits(context)).rejects.toThrow(`no solver's public key is known on ${CHAIN}`)
})

test('the search looks at as many indices as it is given, if other chains had the ones before', async () => {
  const asked: string[] = []
  const fetch = (async (url: string) => {
    asked.push(url)
    const none = { funded_txo_sum: 0, spent_txo_sum: 0 }
    return new Response(JSON.stringify({ chain_stats: none, mempool_stats: none }))
  }) as never
  const { context } = await contextOf({}, { nodes: { [CHAIN]: 'http://node' }, solverKeys: { [CHAIN]: [OF_PAGE] }, fetch })
  expect(await findDeposits(context, { gap: 2 })).toEqual([])
  expect(new Set(asked).size).toBe(4)
  expect(await findDeposits(context, { gap: 2, atLeast: 5 })).toEqual([])
  expect(new Set(asked).size).toBe(10)
})
