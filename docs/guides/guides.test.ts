/** docs/blocks.test.ts runs the guides. Here: that each is listed, and what the server of the webhooks refuses. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@tandem/local/free-port.ts'
import { signWebhook } from '@tandem/service/webhooks/webhook-worker.ts'
import { expect, test } from 'vitest'
import { guideNames, readGuide } from '../../packages/reference/read-markdown.ts'

const root = join(import.meta.dirname, '../..')

test('every file of the folder is a guide of the reference', async () => {
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.md'))
  expect(files.toSorted()).toEqual(guideNames.map((name) => `${name}.md`).toSorted())
})

test('webhooks: the server takes a signed message once, and refuses a forged or old one', async () => {
  await mkdir(join(root, '.tandem'), { recursive: true })
  const folder = await mkdtemp(join(root, '.tandem', 'webhooks-'))
  const { blocks } = readGuide(await readFile(join(import.meta.dirname, 'webhooks.md'), 'utf8'))
  const code = blocks.find((block) => block.kind === 'code' && block.language === 'ts')
  await writeFile(join(folder, 'server.ts'), code?.kind === 'code' ? code.text : '')
  const [port, secret] = [await freePort(), `whsec_${Buffer.alloc(24, 7).toString('base64')}`]
  const child = spawn(process.execPath, ['--import', 'tsx', join(folder, 'server.ts')], {
    cwd: root,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text: Buffer) => {
      printed += text.toString('utf8')
      if (printed.includes('listening')) resolve()
    })
  })
  try {
    const body = JSON.stringify({ type: 'order.status_changed', data: { order_id: 'abc', status: 'initiated' } })
    const now = BigInt(Math.floor(Date.now() / 1000))
    const send = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status
    const signed = signWebhook('msg_1', now, body, [`whsec_${Buffer.alloc(24, 1).toString('base64')}`, secret])
    expect(await send(signed)).toBe(204)
    expect(await send(signed)).toBe(204)
    expect(await send({ ...signed, 'webhook-id': 'msg_2' })).toBe(401)
    expect(await send(signWebhook('msg_3', now - 3600n, body, [secret]))).toBe(401)
    expect(await send(signWebhook('msg_4', now, body, ['whsec_AAAA']))).toBe(401)
    expect(await send({})).toBe(401)
    expect(await send(signWebhook('msg_5', now, body, [secret]))).toBe(204)
    // What it printed may arrive after its answers, and is complete when it has ended.
    const ended = once(child, 'close')
    child.kill()
    await ended
    expect(printed.match(/abc initiated/g)).toHaveLength(2)
  } finally {
    child.kill()
    await rm(folder, { recursive: true, force: true })
  }
})
