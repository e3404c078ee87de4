/** Tests a solver whose keys are in a signer: swaps in both directions, a thief on the solver's host, and a signer that is killed at each step. */
import { readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { evmSigning } from '@tandem/evm/server/signing.ts'
import { createAskedKey } from '@tandem/keys/asked-keys.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import type { Purpose } from '@tandem/keys/purpose.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { createSignerClient } from '@tandem/signer/client.ts'
import { startSigner } from '@tandem/signer/main.ts'
import { afterAll, expect, test } from 'vitest'
import { type PartyProcess, startPartyProcess } from './party-process.ts'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')
const [btc, wbtc] = ['bitcoin_regtest:btc', 'ethereum_localnet:wbtc'] as const
const { solverFile } = story.stack.configs
const folder = dirname(solverFile)
const AMOUNT = 1_000_000n

const solverConfig = JSON.parse(await readFile(solverFile, 'utf8'))
const signerSeed = randomPrivateKey('ed25519')
const signerKey = createSigningKey(signerSeed).publicKey
const solverSeed = (await readFile(join(folder, 'keys', 'solver-signing'), 'utf8')).trim()
const privateKey = (await readFile(join(folder, 'keys', 'solver-secp256k1'), 'utf8')).trim()
const { publicKey } = createKey('secp256k1', privateKey)
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

await writeFile(join(folder, 'keys', 'signer-signing'), signerSeed, { mode: 0o600 })
const { environment, chains, deployments, prices } = solverConfig
const signerFile = join(folder, 'signer.json')
await writeFile(
  signerFile,
  JSON.stringify({
    environment,
    chains,
    deployments,
    prices,
    private_key: { file: 'keys/solver-secp256k1' },
    signing_key: { file: 'keys/signer-signing' },
    listen: { socket: 'signer.sock' },
    clients: [{ id: 'the solver', public_key: createSigningKey(solverSeed).publicKey }],
    journal: 'signer/journal',
    limits_usd: { order: '2000', hour: '100000', open: '100000' },
  }),
)

const log = createLogger({ name: 'signer', level: process.env.TANDEM_STORY_LOG === undefined ? 'silent' : 'info' })
const start = async () => startSigner(await loadConfig(SignerConfig, signerFile), log)
let signer = await start()
afterAll(() => signer.stop())

type Entry = {
  readonly kind: string
  readonly what: string
  readonly why?: string
  readonly swap?: string
  readonly fee?: { readonly marks: readonly string[] } | null
}

async function journal(): Promise<readonly Entry[]> {
  const lines = (await readFile(join(folder, 'signer', 'journal'), 'utf8')).trimEnd().split('\n')
  // What the signer notes by itself answers no question.
  return lines.map((line) => ({ what: '', ...JSON.parse(line).entry }))
}

await story.restart('solver', (config) => {
  config.private_key = { secp256k1: { public_key: hexOf(publicKey) } }
  config.signer = { socket: 'signer.sock', public_key: signerKey }
})

async function orderFromEvm() {
  const { token, htlc } = story.contractsOf(wbtc)
  await story.evm('ethereum_localnet').approve(token, htlc, AMOUNT)
  const order = await story.order(wbtc, btc, AMOUNT)
  return { ...order, pay: () => story.evm('ethereum_localnet').fund(order) }
}

async function orderFromBitcoin() {
  const order = await story.order(btc, wbtc, AMOUNT)
  return { ...order, pay: () => story.bitcoin().pay(order.to ?? '', AMOUNT) }
}

async function funded(ordered: ReturnType<typeof orderFromEvm> | ReturnType<typeof orderFromBitcoin>) {
  const order = await ordered
  await order.pay()
  return order
}

test('swaps in both directions complete, and the journal has what was granted', async () => {
  const before = await story.balance(wbtc)
  const inbound = await funded(orderFromBitcoin())
  const done = await story.untilStatus(inbound.order_id, 'counterparty_redeemed')
  expect(await story.balance(wbtc)).toBe(before + BigInt(done.destination_swap.amount))
  const outbound = await funded(orderFromEvm())
  await story.untilStatus(outbound.order_id, 'counterparty_redeemed')
  const granted = await journal()
  expect(granted.filter(({ kind }) => kind === 'refused')).toEqual([])
  for (const { order_id: id } of [inbound, outbound]) {
    const ofOrder = granted.filter(({ what }) => what.includes(id))
    expect(ofOrder.some(({ kind, what }) => kind === 'lock' && what.startsWith('initiate destination'))).toBe(true)
    expect(ofOrder.some(({ kind, what }) => kind === 'other' && what.startsWith('redeem source'))).toBe(true)
  }
})

test('while the signer is away nothing is signed, and the swap goes on when it is back', async () => {
  await signer.stop()
  const order = await funded(orderFromEvm())
  await story.eventually('the solver has tried', async () => ((await story.errorOf('solver', order.order_id)) ?? '').includes('signer'))
  signer = await start()
  await story.makeDue(0)
  await story.untilStatus(order.order_id, 'counterparty_redeemed')
  const locks = (await journal()).filter(({ kind, what }) => kind === 'lock' && what.includes(order.order_id))
  expect(locks).toHaveLength(1)
})

test('what the nodes show as collected is open no more', async () => {
  await story.eventually('a lock to be settled', async () => (await journal()).some(({ kind }) => kind === 'settled'))
  const granted = new Set((await journal()).flatMap(({ kind, what }) => (kind === 'lock' ? [what] : [])))
  const client = await createSignerClient({
    address: { socket: join(folder, 'signer.sock') },
    key: createSigningKey(solverSeed),
    publicKey: signerKey,
    headFile: null,
  })
  const { open } = await client.status().finally(client.close)
  expect(open.locks).toBeLessThan(granted.size)
})

test('a thief with all that the solver has gets nothing signed that pays him', async () => {
  const thief = `0x${'7e'.repeat(20)}`
  const client = await createSignerClient({
    address: { socket: join(folder, 'signer.sock') },
    key: createSigningKey(solverSeed),
    publicKey: signerKey,
    headFile: null,
  })
  try {
    const { token, htlc } = story.contractsOf(wbtc)
    const key = createAskedKey({ curve: 'secp256k1', publicKey }, client)
    const own = (await client.status()).addresses.ethereum_localnet?.toLowerCase() ?? ''
    const terms = { asset: wbtc, initiator: own, redeemer: thief, amount: 5n, secretHash: 'ab'.repeat(32), timelock: 3600n } as const
    const paidBy = { chain: 'ethereum_localnet', terms: { ...terms, initiator: thief, redeemer: own }, deposits: [{ id: 'x', height: 1n }] }
    const order = (verb: 'initiate' | 'redeem' | 'refund' | 'cancel', more = {}) =>
      ({
        kind: 'order',
        chain: 'ethereum_localnet',
        actions: [{ order: 'o', leg: 'destination', verb, terms, ...more }],
      }) as unknown as Purpose
    const transfer = `0xa9059cbb${thief.slice(2).padStart(64, '0')}${'f'.repeat(64)}`
    const approve = `0x095ea7b3${thief.slice(2).padStart(64, '0')}${'f'.repeat(64)}`
    const call = (to: string, data: string, value = 0n) => ({
      type: 'eip1559',
      chainId: 31_337,
      nonce: 0,
      gas: 100_000n,
      maxFeePerGas: 10n ** 9n,
      maxPriorityFeePerGas: 1n,
      to,
      data,
      value,
    })
    const purposes = [
      ...(['initiate', 'redeem', 'refund', 'cancel'] as const).map((verb) => order(verb)),
      order('initiate', { paidBy }),
      { kind: 'withdraw', chain: 'ethereum_localnet', asset: wbtc, recipient: thief, amount: 5n } as const,
      { kind: 'deploy', chain: 'ethereum_localnet', asset: wbtc } as const,
    ]
    const before = (await journal()).length
    let asked = 0
    for (const purpose of purposes)
      for (const unsigned of [call(token, transfer), call(token, approve), call(htlc, transfer), call(thief, '0x', 10n ** 18n)]) {
        asked += 1
        await expect(evmSigning.sign('transaction', key.signerFor(purpose), unsigned as never)).rejects.toThrow(/^the signer: /)
      }
    const added = (await journal()).slice(before)
    expect(added.map(({ kind }) => kind)).toEqual(Array.from({ length: asked }, () => 'refused'))
    expect(added.every(({ why = '' }) => why !== '')).toBe(true)
  } finally {
    client.close()
  }
})

test('a lock beyond the limits is not signed, and the deposit goes back', async () => {
  const large = 5_000_000n
  const order = await story.order(btc, wbtc, large)
  await story.bitcoin().pay(order.to ?? '', large)
  await story.eventually('the signer has refused it', async () =>
    (await journal()).some(
      ({ kind, what, why = '' }) => kind === 'refused' && what.includes(order.order_id) && why.includes('limits_usd.order'),
    ),
  )
  expect(await story.seen('solver', order.order_id)).not.toContain('destination initiated')
})

/** The signer is another process now, behind a proxy that sees when it answers. */
type Step = 'before the answer' | 'after the answer'
type Kill = { readonly step: Step; readonly isMeant: (question: string) => boolean; readonly killed: () => void }

async function startKillable() {
  const socket = 'signer-own.sock'
  let child: PartyProcess | null = null
  let next: Kill | null = null
  /** Returns whether it was killed. */
  const killAt = (step: Step, question: string): boolean => {
    if (next === null || next.step !== step || !next.isMeant(question)) return false
    const { killed } = next
    next = null
    child?.signal('SIGKILL')
    killed()
    return true
  }
  const proxy = createServer((client) => {
    const upstream = connect(join(folder, socket))
    let question = ''
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const side of [client, upstream]) side.on('error', end).on('close', end)
    client.on('data', (bytes: Buffer) => {
      question += bytes.toString('utf8')
      upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (killAt('before the answer', question)) return end()
      client.write(bytes)
      killAt('after the answer', question)
      question = ''
    })
  })
  await new Promise<void>((resolve) => proxy.listen(join(folder, 'signer.sock'), resolve))
  return {
    async start() {
      child = await startPartyProcess(['signer'], signerFile, () => ({ listen: { socket } }))
    },
    /** Resolves when it is dead. */
    async killAt(step: Step, isMeant: (question: string) => boolean) {
      await new Promise<void>((killed) => {
        next = { step, isMeant, killed }
      })
      await child?.ended
    },
    async close() {
      await child?.stop()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

test('a signer that is killed at any step signs one lock for an order, and collects when it is back', async () => {
  await signer.stop()
  const killable = await startKillable()
  try {
    await killable.start()
    const isLockOf = (orderId: () => string) => (question: string) => question.includes('"initiate"') && question.includes(orderId())
    for (const [make, step] of [
      [orderFromBitcoin, 'before the answer'],
      [orderFromEvm, 'before the answer'],
      [orderFromEvm, 'after the answer'],
    ] as const) {
      let id = 'no order yet'
      const dead = killable.killAt(
        step,
        isLockOf(() => id),
      )
      const order = await make()
      id = order.order_id
      await order.pay()
      await dead
      const locksOf = async () => (await journal()).filter(({ kind, what }) => kind === 'lock' && what.includes(id))
      const collected = async () => (await journal()).filter(({ what }) => what.startsWith(`redeem source of ${id}`))
      expect(await locksOf()).toHaveLength(1)
      // Whoever got the signature goes on: the user is paid while nobody can collect.
      if (step === 'after the answer') await story.untilSeen('solver', id, 'destination redeemed')
      expect(await collected()).toEqual([])
      await killable.start()
      const backAt = performance.now()
      await story.untilStatus(id, 'counterparty_redeemed')
      const tookMs = performance.now() - backAt
      log.info({ step, tookMs }, 'the swap was completed after the signer came back')
      expect(await collected()).not.toEqual([])
      const locks = await locksOf()
      expect(new Set(locks.map(({ swap }) => swap)).size).toBe(1)
      // Each excludes the others.
      const [first, ...others] = locks.map(({ fee }) => new Set(fee?.marks))
      for (const marks of others) expect([...marks].some((mark) => first?.has(mark))).toBe(true)
      expect((await story.signed('solver', id)).get('initiate destination')).toHaveLength(1)
    }
  } finally {
    await killable.close()
    signer = await start()
  }
})
