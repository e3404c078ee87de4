/** Tests how apps are stored, found and changed. */
import { describe, expect, test } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import { statementsOf } from '../statements.fixture.ts'
import type { AppSettings } from './app-settings.ts'
import { type App, createApp, findApp, listApps, rotateApp, setAppDisabled, updateApp } from './apps.ts'

const store = sharedStore()

const defaults: AppSettings = {
  defaultSlippageBips: 0,
  sponsorship: true,
  allowedOrigins: [],
  permissions: ['read', 'trade'],
  rateLimitPerMinute: null,
  approval: 'exact',
  sponsoredPerDay: 200,
}
const other: AppSettings = {
  defaultSlippageBips: 50,
  sponsorship: false,
  allowedOrigins: ['https://shop.example', 'https://shop.example:8443', 'http://localhost:3000'],
  permissions: ['read'],
  rateLimitPerMinute: 90,
  approval: 'unlimited',
  sponsoredPerDay: 12,
}

test('finds an app by its id, and stores only a hash of the id', async () => {
  const { appId, app } = await createApp(store.db, 'shop')
  expect(appId).toMatch(/^[0-9a-f]{64}$/)
  expect(await findApp(store.db, appId)).toEqual({ name: 'shop', ...defaults })
  expect(app).toEqual({ name: 'shop', ...defaults })
  const rows = await store.db.selectFrom('apps').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(appId)
  expect(await findApp(store.db, rows[0]?.id_hash ?? '')).toBeNull()
})

test('finds no app by another id', async () => {
  const { appId } = await createApp(store.db, 'market')
  for (const wrong of ['', appId.toUpperCase(), appId.slice(1), `${appId} `, 'f'.repeat(64)]) {
    expect(await findApp(store.db, wrong)).toBeNull()
  }
})

test('very many concurrent look-ups share few statements: unknown ids must not take all connections', async () => {
  const { appId } = await createApp(store.db, 'busy')
  const ids = Array.from({ length: 100 }, (_, n) => (n === 60 ? appId : n.toString(16).padStart(64, '0')))
  let found: readonly (App | null)[] = []
  const statements = await statementsOf(async () => {
    found = await Promise.all(ids.map((id) => findApp(store.db, id)))
  })
  expect(found.map((app) => app?.name ?? null)).toEqual(ids.map((id) => (id === appId ? 'busy' : null)))
  expect(statements.length).toBeLessThanOrEqual(5)
})

test('a disabled app is not found until it is enabled again', async () => {
  const { appId } = await createApp(store.db, 'closed')
  await setAppDisabled(store.db, 'closed', true)
  expect(await findApp(store.db, appId)).toBeNull()
  expect(await listApps(store.db)).toContainEqual(expect.objectContaining({ name: 'closed', disabled: true }))
  await setAppDisabled(store.db, 'closed', false)
  expect(await findApp(store.db, appId)).toMatchObject({ name: 'closed' })
})

test('refuses a second app of the same name', async () => {
  const { appId } = await createApp(store.db, 'twice')
  await expect(createApp(store.db, 'twice', other)).rejects.toThrow('there is an app "twice" already')
  expect(await findApp(store.db, appId)).toEqual({ name: 'twice', ...defaults })
})

test('sets settings at creation, and changes them one by one', async () => {
  const { appId } = await createApp(store.db, 'made', other)
  expect(await findApp(store.db, appId)).toEqual({ name: 'made', ...other })
  for (const [key, value] of Object.entries(defaults)) {
    const before = await findApp(store.db, appId)
    expect(await updateApp(store.db, 'made', { [key]: value })).toEqual({ ...before, [key]: value })
  }
  expect(await findApp(store.db, appId)).toEqual({ name: 'made', ...defaults })
  expect(await updateApp(store.db, 'made', {})).toEqual({ name: 'made', ...defaults })
})

test('a change of one app does not affect another', async () => {
  const { appId } = await createApp(store.db, 'neighbour')
  await createApp(store.db, 'changed')
  await updateApp(store.db, 'changed', other)
  await setAppDisabled(store.db, 'changed', true)
  await rotateApp(store.db, 'changed')
  expect(await findApp(store.db, appId)).toEqual({ name: 'neighbour', ...defaults })
})

test('rotating replaces the id', async () => {
  const { appId: old } = await createApp(store.db, 'rotated', other)
  const { appId } = await rotateApp(store.db, 'rotated')
  expect(appId).toMatch(/^[0-9a-f]{64}$/)
  expect(await findApp(store.db, old)).toBeNull()
  expect(await findApp(store.db, appId)).toEqual({ name: 'rotated', ...other })
})

test('lists apps by name, without ids', async () => {
  const apps = await listApps(store.db)
  const names = apps.map((app) => app.name)
  expect(names).toEqual(names.toSorted())
  expect(names).toContain('shop')
  expect(apps[0]?.createdAt).toBeInstanceOf(Date)
  expect(JSON.stringify(apps)).not.toMatch(/[0-9a-f]{64}/)
})

test('refuses to change an unknown app', async () => {
  const missing = 'there is no app "nobody"'
  await expect(updateApp(store.db, 'nobody', {})).rejects.toThrow(missing)
  await expect(rotateApp(store.db, 'nobody')).rejects.toThrow(missing)
  await expect(setAppDisabled(store.db, 'nobody', true)).rejects.toThrow(missing)
})

describe('refuses and states the expected form:', () => {
  test.each(['', 'Shop', 'my shop', 'a'.repeat(65), 'shop\n', 'größe', 'a/b'])('the name %j', async (name) => {
    await expect(createApp(store.db, name)).rejects.toThrow('expected 1 to 64 of a-z')
  })

  test.each<[Partial<AppSettings>, string]>([
    [{ defaultSlippageBips: 501 }, 'slippage must be a whole number from 0 to 500'],
    [{ defaultSlippageBips: -1 }, 'slippage'],
    [{ defaultSlippageBips: 0.5 }, 'slippage'],
    [{ defaultSlippageBips: Number.NaN }, 'slippage'],
    [{ rateLimitPerMinute: 0 }, 'rate limit must be a whole number from 1'],
    [{ rateLimitPerMinute: 1_000_001 }, 'rate limit'],
    [{ sponsoredPerDay: 0 }, 'sponsored per day must be a whole number from 1'],
    [{ sponsoredPerDay: 1_000_001 }, 'sponsored per day'],
    [{ approval: 'some' as 'exact' }, 'approval is one of exact, unlimited, got "some"'],
    [{ permissions: [] }, 'permissions are one or more of read, trade'],
    [{ permissions: ['write' as 'read'] }, 'got "write"'],
    [{ allowedOrigins: ['*'] }, 'expected an exact origin'],
    [{ allowedOrigins: ['shop.example'] }, 'expected an exact origin'],
    [{ allowedOrigins: ['null'] }, 'expected an exact origin'],
    [{ allowedOrigins: ['https://good.example', 'https://shop.example/'] }, 'do you mean https://shop.example?'],
    [{ allowedOrigins: ['https://Shop.example'] }, 'do you mean https://shop.example?'],
    [{ allowedOrigins: ['https://shop.example:443'] }, 'do you mean https://shop.example?'],
    [{ allowedOrigins: ['https://me@shop.example'] }, 'do you mean https://shop.example?'],
    [{ allowedOrigins: ['http://shop.example'] }, 'http is allowed for localhost only'],
    [{ allowedOrigins: ['ftp://shop.example'] }, 'expected an exact origin'],
    [{ allowedOrigins: ['https://*.shop.example'] }, 'expected an exact origin'],
  ])('%j', async (settings, text) => {
    const before = await listApps(store.db)
    await expect(createApp(store.db, 'refused', settings)).rejects.toThrow(text)
    await expect(updateApp(store.db, 'shop', settings)).rejects.toThrow(text)
    expect(await listApps(store.db)).toEqual(before)
  })

  test.each([
    { name: 'Shop' },
    { default_slippage_bips: 501 },
    { permissions: ['admin' as 'read'] },
    { permissions: [] },
    { rate_limit_per_minute: 0 },
    { sponsored_per_day: 0 },
    { approval: 'some' as 'exact' },
  ])('by the database itself: %j', async (columns) => {
    await expect(
      store.db
        .insertInto('apps')
        .values({ name: 'row', id_hash: 'hash', ...columns })
        .execute(),
    ).rejects.toThrow('violates check constraint')
  })
})
