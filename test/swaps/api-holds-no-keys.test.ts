/** Reads the memory of a process that runs only the API: it holds no vault key, no key that signs claims, and no secret or key of an order that it did not make itself. */

import { hkdfSync } from 'node:crypto'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runCommand } from '@tandem/cli/commands/command.fixture.ts'
import { fundCommand } from '@tandem/cli/commands/earnings.ts'
import { startServiceProcess } from '@tandem/local/service-process.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { createVault, deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import type { EarningsRecord } from '@tandem/protocol/wire/earnings.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openStory } from './story.ts'

const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'], split: true }))

const CHUNK_BYTES = 1 << 24
/** The longest thing that is looked for: 64 hex characters of two bytes each. */
const OVERLAP_BYTES = 128

async function readKeys() {
  const vaultKey = (await readFile(join(dirname(story.stack.configs.serviceFile), 'keys', 'vault'), 'utf8')).trim()
  const privateKey = Buffer.from(hkdfSync('sha256', Buffer.from(vaultKey, 'hex'), '', 'sealed values', 32)).toString('hex')
  const claimKey = (await readFile(join(dirname(story.stack.configs.serviceFile), 'keys', 'claims-secp256k1'), 'utf8')).trim().slice(2)
  return { vaultKey, privateKey, claimKey }
}

/** As raw bytes, and as hex in both forms that V8 gives a text. */
function formsOf(hex: string): readonly Buffer[] {
  return [Buffer.from(hex, 'hex'), Buffer.from(hex, 'latin1'), Buffer.from(hex, 'utf16le')]
}

/** Returns the names of those values that are in the memory of a process, in any form. */
async function findInMemory(pid: number, values: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const found = new Set<string>()
  const wanted = Object.entries(values).map(([name, hex]) => ({ name, forms: formsOf(hex) }))
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8')
  const memory = await open(`/proc/${pid}/mem`)
  try {
    for (const line of maps.split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      if (from === undefined || to === undefined) continue
      const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)]
      for (let at = start; at < end; at += CHUNK_BYTES) {
        const bytes = await readAt(memory, at, Math.min(CHUNK_BYTES + OVERLAP_BYTES, end - at))
        for (const { name, forms } of wanted) if (forms.some((form) => bytes.includes(form))) found.add(name)
      }
    }
  } finally {
    await memory.close()
  }
  return [...found].sort()
}

/** Parts that the process gave back meanwhile read as nothing. */
async function readAt(memory: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  try {
    const { bytesRead } = await memory.read(bytes, 0, length, at)
    return bytes.subarray(0, bytesRead)
  } catch {
    return bytes.subarray(0, 0)
  }
}

/** An affiliate earned something, which the operator has paid in. The API shows the claim, which the engine signed. */
async function claim(): Promise<void> {
  const affiliate = `0x${'af'.repeat(20)}`
  const asset = 'ethereum_localnet:usdc'
  const db = await openDatabase(story.databaseUrls[0] ?? '')
  await sql`
    insert into affiliate_totals (app, affiliate, asset, orders, amount, usd, paid_in) select name, ${affiliate}, ${asset}, 1, 7, 7, 7 from apps`.execute(
    db,
  )
  await db.destroy()
  process.env.TANDEM_STORY_OPERATOR = story.stack.info.wallets.find(({ family }) => family === 'evm')?.private_key ?? ''
  const config = story.stack.configs.serviceFile
  await runCommand((terminal) => fundCommand({ config, asset, keyEnv: 'TANDEM_STORY_OPERATOR' }, terminal))
  const [earned] = (await story.api.call('GET', `/apps/earnings?address=${affiliate}`)) as readonly EarningsRecord[]
  expect(earned).toMatchObject({ claim_amount: '7', claim_total: '7', claim_signature: expect.stringMatching(/^0x[0-9a-f]{130}$/) })
}

test.skipIf(process.platform !== 'linux')('a process of the API holds nothing that opens what it or others sealed', async () => {
  const { service, configs } = story.stack
  const { vaultKey, privateKey, claimKey } = await readKeys()
  const { publicKey, sealKey } = deriveSealingKeys(vaultKey)
  const toWbtc = () => story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  const earlier = [
    await toWbtc(),
    await toWbtc(),
    await story.order('ethereum_localnet:eth', 'bitcoin_regtest:btc', 400_000_000_000_000_000n),
  ]
  await service.setRunning(false)

  const api = await startServiceProcess('api', configs.apiFile, 'silent')
  try {
    // The process works with the earlier orders: it shows them, and asks for the refund of one, which the engine signs with the user's key.
    const [refunded] = earlier
    if (refunded === undefined) throw new Error('there is no order')
    await story.bitcoin().pay(refunded.to ?? '', 900_000n)
    await story.until(refunded.order_id, 'the deposit', (order) => order.source_swap.current_confirmations > 0)
    await story.api.call('PATCH', `/orders/${refunded.order_id}?action=instant-refund`, {
      signatures: [],
      order_token: refunded.order_token,
    })
    for (const { order_id } of earlier) await story.api.call('GET', `/orders/${order_id}`)
    await toWbtc()
    await claim()

    const db = await openDatabase(story.databaseUrls[0] ?? '')
    const vault = createVault(vaultKey)
    const secrets: Record<string, string> = {}
    for (const { order_id } of earlier)
      for (const purpose of ['secret', 'source-key', 'destination-key'] as const) {
        const value = await vault.get(db, order_id, purpose)
        if (value !== null) secrets[`${purpose} of ${order_id}`] = value
      }
    await db.destroy()
    expect(Object.keys(secrets)).toHaveLength(6)

    // What the process must have shows that its memory is read.
    const wanted = {
      'the vault key': vaultKey,
      'the private key': privateKey,
      'the key that signs claims': claimKey,
      ...secrets,
      'the public key': publicKey,
      'the seal key': sealKey,
    }
    expect(await findInMemory(api.pid, wanted)).toEqual(['the public key', 'the seal key'])
  } finally {
    await api.stop()
  }
})

test.skipIf(process.platform !== 'linux')('a process with an engine holds them, and this reading finds them', async () => {
  const { privateKey, claimKey } = await readKeys()
  const engine = await startServiceProcess('engine', story.stack.configs.serviceFile, 'silent')
  try {
    const wanted = { 'the key that signs claims': claimKey, 'the private key': privateKey }
    expect(await findInMemory(engine.pid, wanted)).toEqual(Object.keys(wanted))
  } finally {
    await engine.stop()
  }
})
