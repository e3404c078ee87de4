/** Tests the commands that create, change and list apps. */
import { findApp } from '@tandem/party/store/apps/apps.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppOptions, createAppCommand, listAppsCommand, rotateAppCommand, setAppDisabledCommand, updateAppCommand } from './apps.ts'
import { type ConfigFixture, runCommand as run, writeServiceConfig } from './command.fixture.ts'

const store = sharedStore()
let fixture: ConfigFixture
let config: string
beforeAll(async () => {
  fixture = await writeServiceConfig(store.url)
  config = fixture.config
})
afterAll(async () => {
  await fixture.remove()
})

const create = (name: string, options: AppOptions = {}) => run((terminal) => createAppCommand(name, { config, ...options }, terminal))
const update = (name: string, options: AppOptions) => run((terminal) => updateAppCommand(name, { config, ...options }, terminal))

test('create stores the given settings; the answer is only the id', async () => {
  const { answer, notes } = await create('shop', {
    slippage: '50',
    sponsorship: false,
    sponsoredPerDay: '5',
    approval: 'unlimited',
    rateLimit: '90',
    origin: ['https://shop.example', 'https://shop.example'],
    permissions: 'read, trade',
  })
  expect(answer).toMatch(/^[0-9a-f]{64}$/)
  expect(notes).toContain('shown only now')
  expect(await findApp(store.db, answer)).toEqual({
    name: 'shop',
    defaultSlippageBips: 50,
    sponsorship: false,
    sponsoredPerDay: 5,
    approval: 'unlimited',
    rateLimitPerMinute: 90,
    allowedOrigins: ['https://shop.example'],
    permissions: ['read', 'trade'],
  })
})

test('update changes only the given settings', async () => {
  const { answer } = await create('market', { slippage: '7', origin: ['https://market.example'], rateLimit: '9', sponsoredPerDay: '3' })
  await update('market', { permissions: 'read' })
  expect(await findApp(store.db, answer)).toMatchObject({
    defaultSlippageBips: 7,
    permissions: ['read'],
    rateLimitPerMinute: 9,
    sponsoredPerDay: 3,
  })
  await update('market', { origin: false, rateLimit: 'default', sponsorship: false, sponsoredPerDay: 'unlimited' })
  expect(await findApp(store.db, answer)).toMatchObject({
    defaultSlippageBips: 7,
    allowedOrigins: [],
    rateLimitPerMinute: null,
    sponsorship: false,
    sponsoredPerDay: null,
  })
  await expect(update('market', {})).rejects.toThrow('name a setting to change')
})

test('rotate replaces the id; disable and enable switch the app', async () => {
  const { answer: old } = await create('rotated')
  const { answer } = await run((terminal) => rotateAppCommand('rotated', { config }, terminal))
  expect(await findApp(store.db, old)).toBeNull()
  expect(await findApp(store.db, answer)).toMatchObject({ name: 'rotated' })
  await run((terminal) => setAppDisabledCommand('rotated', true, { config }, terminal))
  expect(await findApp(store.db, answer)).toBeNull()
  await run((terminal) => setAppDisabledCommand('rotated', false, { config }, terminal))
  expect(await findApp(store.db, answer)).toMatchObject({ name: 'rotated' })
})

test('list prints a table or JSON', async () => {
  await create('limited', { sponsoredPerDay: '40', approval: 'unlimited' })
  await create('trusted', { sponsoredPerDay: 'unlimited' })
  await create('listed', { slippage: '3', origin: ['https://a.example', 'https://b.example'] })
  await run((terminal) => setAppDisabledCommand('listed', true, { config }, terminal))
  const { answer: table } = await run((terminal) => listAppsCommand({ config }, terminal))
  const today = new Date().toISOString().slice(0, 4)
  expect(table).toMatch(
    new RegExp(
      `^listed +disabled +read,trade +3 bips +200 a day +exact +default +${today}-\\d\\d-\\d\\d +https://a.example https://b.example$`,
      'm',
    ),
  )
  expect(table).toMatch(/^trusted .* unlimited +exact +default /m)
  expect(table).toMatch(/^limited .* 40 a day +unlimited +default /m)
  const { answer: json } = await run((terminal) => listAppsCommand({ config, json: true }, terminal))
  expect(JSON.parse(json)).toContainEqual({
    name: 'listed',
    default_slippage_bips: 3,
    sponsorship: true,
    sponsored_per_day: 200,
    approval: 'exact',
    rate_limit_per_minute: null,
    allowed_origins: ['https://a.example', 'https://b.example'],
    permissions: ['read', 'trade'],
    disabled: true,
    created_at: expect.stringMatching(/^\d{4}-/),
  })
  expect(table + json).not.toMatch(/[0-9a-f]{64}/)
})

test.each<[AppOptions, string]>([
  [{ slippage: '1.5' }, '--slippage takes a whole number, got "1.5"'],
  [{ slippage: '-1' }, '--slippage takes a whole number'],
  [{ slippage: '501' }, 'slippage must be a whole number from 0 to 500'],
  [{ rateLimit: 'fast' }, '--rate-limit takes a whole number, got "fast"'],
  [{ sponsoredPerDay: 'many' }, '--sponsored-per-day takes a whole number, got "many"'],
  [{ approval: 'all' }, 'approval is one of exact, unlimited'],
  [{ permissions: '' }, 'permissions are one or more of read, trade'],
  [{ origin: ['shop.example'] }, 'expected an exact origin'],
  [{ config: '/nowhere/service.json' }, 'the configuration /nowhere/service.json does not exist'],
])('%j is refused', async (options, text) => {
  await expect(create('refused', options)).rejects.toThrow(text)
})
