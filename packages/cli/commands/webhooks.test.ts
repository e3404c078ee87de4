/** Tests the commands for webhooks: add, list, rotate, remove, and a signed test message. */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConfigFixture, runCommand as run, writeServiceConfig } from './command.fixture.ts'
import {
  addWebhookCommand,
  listWebhooksCommand,
  removeWebhookCommand,
  replayWebhookCommand,
  rotateWebhookCommand,
  testWebhookCommand,
} from './webhooks.ts'

const store = sharedStore()
let fixture: ConfigFixture
let config: string
beforeAll(async () => {
  fixture = await writeServiceConfig(store.url)
  config = fixture.config
  await writeFile(join(fixture.folder, 'vault'), 'ab'.repeat(32), { mode: 0o600 })
  await change({ vault_key: { file: 'vault' } })
  await createApp(store.db, 'shop')
})
afterAll(async () => {
  await fixture.remove()
})

async function change(settings: object): Promise<void> {
  await writeFile(config, JSON.stringify({ ...JSON.parse(await readFile(config, 'utf8')), ...settings }))
}

const add = (url: string, app = 'shop') => run((terminal) => addWebhookCommand(app, url, { config }, terminal))
const list = async (): Promise<readonly { readonly id: string; readonly url: string }[]> =>
  JSON.parse((await run((terminal) => listWebhooksCommand({ config, json: true }, terminal))).answer)

test('a webhook is added with a secret that is shown once, listed, rotated and removed', async () => {
  expect((await run((terminal) => listWebhooksCommand({ config }, terminal))).notes).toContain('tandem webhooks add APP URL')
  const { answer, notes } = await add('https://shop.example/hook')
  expect(answer).toMatch(/^whsec_/)
  expect(notes).toContain('shown only now')
  const [added] = await list()
  expect(added).toMatchObject({ app: 'shop', url: 'https://shop.example/hook', failures: 0, pending: 0, dead: 0 })
  const id = added?.id ?? ''
  const table = await run((terminal) => listWebhooksCommand({ config }, terminal))
  expect(table.answer).toContain(id)
  expect(`${JSON.stringify(added)} ${table.answer}`).not.toContain('whsec_')
  const rotated = await run((terminal) => rotateWebhookCommand(id, { config }, terminal))
  expect(rotated.answer).toMatch(/^whsec_/)
  expect(rotated.answer).not.toBe(answer)
  await run((terminal) => removeWebhookCommand(id, { config }, terminal))
  expect(await list()).toEqual([])
})

test('what cannot be an endpoint is refused, with the reason', async () => {
  await expect(add('http://shop.example')).rejects.toThrow('https://')
  await expect(add('https://127.0.0.1/hook')).rejects.toThrow('not a public address')
  await expect(add('https://shop.example', 'nobody')).rejects.toThrow('there is no app "nobody"')
  await add('https://twice.example')
  await expect(add('https://twice.example')).rejects.toThrow('already')
  for (const command of [rotateWebhookCommand, removeWebhookCommand, testWebhookCommand, replayWebhookCommand])
    await expect(run((terminal) => command('wh_none', { config }, terminal))).rejects.toThrow('wh_none')
  const [known] = await list()
  const replay = (since: string) => run((terminal) => replayWebhookCommand(known?.id ?? '', { config, since }, terminal))
  await expect(replay('yesterday')).rejects.toThrow('--since takes a time')
  expect((await replay('2026-01-31T12:00:00Z')).notes).toContain('0 messages')
})

test('test sends a signed message to an endpoint of the own network only where the operator allows it', async () => {
  const received: { readonly body: string; readonly headers: Record<string, string> }[] = []
  let status = 204
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      received.push({ body: Buffer.concat(chunks as Buffer[]).toString(), headers: request.headers as Record<string, string> })
      response.writeHead(status, { location: 'https://shop.example' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await expect(add(url)).rejects.toThrow()
  await change({ webhooks: { allow_private: true } })
  const { answer: secret } = await add(url)
  const id = (await list()).find((webhook) => webhook.url === url)?.id ?? ''
  const send = () => run((terminal) => testWebhookCommand(id, { config }, terminal))
  expect((await send()).notes).toContain('accepted')
  const [first] = received
  expect(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({ type: 'test' })
  status = 302
  await expect(send()).rejects.toThrow('it answered 302')
  await change({ webhooks: { allow_private: false } })
  await expect(send()).rejects.toThrow('https://')
  expect(received).toHaveLength(2)
  server.close()
})
