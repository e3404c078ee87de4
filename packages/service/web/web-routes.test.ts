/** Tests how pages and their files are served. */
import { createHash } from 'node:crypto'
import { promises } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import zlib, { gunzipSync } from 'node:zlib'
import { environments, environmentWith } from '@tandem/families/registry.ts'
import { withFirstBlock } from '@tandem/party/engine/network.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { bundlePages } from '@tandem/web/build.ts'
import { pages } from '@tandem/web/pages.ts'
import { bundleCopy } from '@tandem/web/single-file.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { registryExample } from '../../../docs/registry-example.ts'
import { btc, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'
import { contentPolicy } from './content-policy.ts'
import { pageSettings } from './page-settings.ts'

const local = {
  app_id: 'ab'.repeat(32),
  faucet_url: 'http://127.0.0.1:7001/faucet',
  solver_switch_url: 'http://127.0.0.1:7001/solver',
  time_url: 'http://127.0.0.1:7001/time',
  chains: {
    one: { rpc_url: 'http://127.0.0.1:7002', assets: { 'one:coin': { htlc: '0x1' } } },
    two: { rpc_url: 'http://127.0.0.1:7003', esplora_url: 'http://127.0.0.1:7004/api', assets: {} },
  },
  wallets: [
    { chains: ['one'], address: 'first', private_key: 'KEY' },
    { chains: ['one'], address: 'second', private_key: 'KEY' },
  ],
}

let folder: string
let service: TestService
let public_: TestService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-web-'))
  await writeFile(join(folder, 'local.json'), JSON.stringify(local))
  service = await startTestService({
    environment: 'local',
    web: { appId: null, nodes: {}, registry: null, localFile: join(folder, 'local.json') },
  })
  public_ = await startTestService({
    environment: 'testnet',
    web: { appId: 'cd'.repeat(32), nodes: { one: 'https://node.example/rpc' }, registry: null, localFile: null },
  })
})
afterAll(async () => {
  await service.close()
  await public_.close()
  await rm(folder, { recursive: true, force: true })
})

const html = { 'accept-encoding': 'identity' }

describe('a page', () => {
  test('is served with a strict policy that names the nodes it asks, and nothing else', async () => {
    const { status, headers, body } = await service.raw('/', html)
    expect({ status, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
      cache: 'no-cache',
    })
    expect(String(body)).toContain('<script type="module" src="/assets/')
    expect(String(body)).not.toMatch(/<script>|<style|style=|\son[a-z]+=|https?:/)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' http://127.0.0.1:7001 " +
        "http://127.0.0.1:7002 http://127.0.0.1:7004; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect((await public_.raw('/?order=1', html)).headers['content-security-policy']).toContain("connect-src 'self' https://node.example; ")
  })

  test('is not sent again to a browser that has it', async () => {
    const { headers } = await service.raw('/', html)
    const again = await service.raw('/', { ...html, 'if-none-match': String(headers.etag) })
    expect({ status: again.status, length: again.body.length }).toEqual({ status: 304, length: 0 })
  })

  test('its files are compressed, kept for ever, and named in the page', async () => {
    const page = String((await service.raw('/', html)).body)
    const names = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThanOrEqual(4)
    for (const name of names) {
      const plain = await service.raw(name, html)
      expect({ name, status: plain.status, cache: plain.headers['cache-control'], sniff: plain.headers['x-content-type-options'] }).toEqual(
        {
          name,
          status: 200,
          cache: 'public, max-age=31536000, immutable',
          sniff: 'nosniff',
        },
      )
      const gzipped = await service.raw(name, { 'accept-encoding': 'deflate, gzip;q=0.8' })
      expect(gzipped.headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true)
      expect((await service.raw(name, { 'accept-encoding': 'gzip, br' })).headers['content-encoding']).toBe('br')
    }
  })

  test.each(['/assets/none.js', '/assets/..%2fmanifest.json', '/assets/..%2f..%2fpackage.json'])('%s is not there', async (path) => {
    const { status, headers, body } = await service.raw(path, html)
    expect({ status, cache: headers['cache-control'], body: JSON.parse(String(body)) }).toMatchObject({
      status: 404,
      cache: undefined,
      body: { status: 'Error', code: 'not_found' },
    })
  })
})

describe('a path that does not exist', () => {
  const browser = { ...html, accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

  test.each(['/nothing-here', '/v2/nothing', '/operator/nothing', '/assets/none.js'])('%s is a page for a browser', async (path) => {
    const { status, headers, body } = await service.raw(path, browser)
    expect({ status, type: headers['content-type'], cache: headers['cache-control'], vary: headers.vary }).toMatchObject({
      status: 404,
      type: 'text/html; charset=utf-8',
      cache: 'no-cache',
      vary: expect.stringContaining('accept,'),
    })
    expect(headers['content-security-policy']).toBe(contentPolicy([]))
    expect(String(body)).toContain('<title>Tandem · Not found</title>')
    // The links must work without scripts too.
    expect(String(body)).toMatch(/<noscript>.*href="\/".*href="\/docs".*<\/noscript>/)
    const gzipped = await service.raw(path, { ...browser, 'accept-encoding': 'gzip' })
    expect(gunzipSync(gzipped.body).equals(body)).toBe(true)
  })

  test.each([
    ['no word of what it takes', {}],
    ['anything', { accept: '*/*' }],
    ['JSON', { accept: 'application/json' }],
    ['anything but HTML', { accept: 'text/html;q=0, */*' }],
  ])('a program that takes %s gets the envelope', async (_, headers) => {
    const { status, headers: got, body } = await service.raw('/nothing-here', { ...html, ...headers })
    expect({ status, type: got['content-type'], body: JSON.parse(String(body)) }).toEqual({
      status: 404,
      type: 'application/json; charset=utf-8',
      body: { status: 'Error', error: 'there is no GET /nothing-here here', code: 'not_found', result: null },
    })
  })

  test('paths that the API itself does not find, and methods that a path does not take, are answered with the envelope for everybody', async () => {
    const order = await service.raw(`/v2/orders/${'0'.repeat(64)}`, browser)
    expect({ status: order.status, body: JSON.parse(String(order.body)) }).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const method = await service.call('DELETE', '/v2/quote', { headers: { accept: 'text/html' } })
    expect(method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
  })
})

test('the copy of the rescue page is one file, whose policy allows exactly its own script and style', async () => {
  const { status, headers, body } = await service.raw('/rescue/copy.html', html)
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
  // A policy inside of a file cannot forbid frames.
  expect(headers['content-security-policy']).toBe("frame-ancestors 'none'")
  const text = String(body)
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)?.[1] ?? ''
  const script = /<script type="module">(.*?)<\/script>/s.exec(text)?.[1] ?? ''
  const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? ''
  const hashOf = (part: string) => `'sha256-${createHash('sha256').update(part).digest('base64')}'`
  expect(script.length).toBeGreaterThan(100_000)
  expect(policy).toContain(`default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)};`)
  expect(text.replace(script, '').replace(style, '')).not.toMatch(/<script(?! type="module">)|<link|<img|src=|import\(/)
  expect(script).not.toMatch(/\bimport\(["']|from"\.\//)
})

test('the licences of all libraries inside are served with the pages, and go with the copy', async () => {
  const served = await service.raw('/licences.txt', html)
  expect({ status: served.status, type: served.headers['content-type'] }).toEqual({ status: 200, type: 'text/plain; charset=utf-8' })
  const copy = String((await service.raw('/rescue/copy.html', html)).body)
  for (const [{ metafile }, text] of [
    [await bundlePages(), String(served.body)],
    [await bundleCopy(pages.rescue), copy],
  ] as const) {
    const inside = new Set(Object.keys(metafile.inputs).flatMap((input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []))
    expect([...inside]).toEqual(expect.arrayContaining(['preact', 'viem', '@noble/curves']))
    const missing = [...inside].filter((name) => !new RegExp(`^(<pre>)?${name} \\d+\\.\\d+`, 'm').test(text))
    expect(missing).toEqual([])
    expect(text).toContain('Copyright (c) 2015-present Jason Miller')
  }
})

describe('web.json', () => {
  const settings = async (of: TestService, headers: Readonly<Record<string, string>> = {}) =>
    JSON.parse(String((await of.raw('/web.json', headers)).body)).result

  test('tells a page on this machine how to play, and no key', async () => {
    const { app_id: appId, faucet_url, solver_switch_url, time_url } = local
    const found = await settings(service)
    expect(found).toEqual({
      app_id: appId,
      nodes: { one: 'http://127.0.0.1:7002', two: 'http://127.0.0.1:7004/api' },
      deployments: { 'one:coin': { htlc: '0x1' } },
      registry: null,
      solver_keys: {},
      play: { faucet_url, solver_switch_url, time_url, addresses: { one: 'first' } },
    })
    expect(JSON.stringify(found)).not.toContain('KEY')
  })

  test('names block 1 of a network that the operator had to tell apart', async () => {
    const chains = environments.testnet.chains.filter(({ family }) => family === 'bitcoin')
    const named = chains.map((chain) => (chain.id === 'alpen_signet' ? withFirstBlock(chain, '12'.repeat(32)) : chain))
    const deploymentsWith = async (served: typeof chains) => {
      const context = {
        settings: { web: { appId: null, nodes: {}, registry: null, localFile: null } },
        registry: { chains: served, assets: [] },
        solverKeys: { of: () => [] },
      }
      return (await pageSettings(context as unknown as Parameters<typeof pageSettings>[0], false)).deployments
    }
    expect(await deploymentsWith(chains)).toEqual({})
    expect(await deploymentsWith(named)).toEqual({ 'alpen_signet:btc': { firstBlock: '12'.repeat(32) } })
  })

  test('tells what the operator added to the registry, with its contracts', async () => {
    const added = registryExample({ dollar: `0x${'12'.repeat(20)}`, gold: 'So11111111111111111111111111111111111111112' })
    const { rows } = environmentWith('local', added)
    const deployments = { 'own_localnet:ownd': { htlc: '0x34' }, 'ethereum_localnet:eth': { htlc: '0x56' } }
    const registry = createRegistry({ ...rows, deployments, served: new Set(['own_localnet', 'ethereum_localnet']) })
    const pinned = { environment: 'local', ...added } as const
    const context = {
      settings: { web: { appId: null, nodes: {}, registry: pinned, localFile: null } },
      registry,
      solverKeys: { of: () => [] },
    }
    expect(await pageSettings(context as unknown as Parameters<typeof pageSettings>[0], false)).toMatchObject({
      registry: pinned,
      deployments: { 'own_localnet:ownd': { htlc: '0x34' } },
    })
  })

  test('a page of another host name that points to this machine is told nothing about it', async () => {
    expect(await settings(service, { host: 'elsewhere.example' })).toEqual({
      app_id: null,
      nodes: {},
      deployments: {},
      registry: null,
      solver_keys: {},
      play: null,
    })
  })

  test('elsewhere it tells the app and the nodes of the operator', async () => {
    expect(await settings(public_)).toEqual({
      app_id: 'cd'.repeat(32),
      nodes: { one: 'https://node.example/rpc' },
      deployments: {},
      registry: null,
      solver_keys: {},
      play: null,
    })
  })

  test('names the keys of solvers, for the saved copy of the rescue page', async () => {
    expect(await public_.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })).toMatchObject({ status: 200 })
    expect(await settings(public_)).toMatchObject({ solver_keys: { bitcoin_regtest: ['5'.repeat(64)] } })
  })
})

test('a text that is no URL adds nothing to the policy', () => {
  expect(contentPolicy(["'unsafe-inline'", "x; script-src 'unsafe-inline'", 'javascript:1', 'data:text/html,1'])).toBe(contentPolicy([]))
})

describe('a repeated request writes, reads and compresses nothing', () => {
  test.each(['/openapi.json', '/docs/search.json', '/llms-full.txt', '/docs', '/rescue/copy.html'])('%s', async (path) => {
    const ask = (headers: Readonly<Record<string, string>>) => service.raw(path, { ...headers })
    const first = await ask({ 'accept-encoding': 'gzip' })
    const work = [vi.spyOn(zlib, 'gzip'), vi.spyOn(zlib, 'createGzip'), vi.spyOn(promises, 'readFile')]
    syncBuiltinESMExports()
    try {
      const again = await ask({ 'accept-encoding': 'gzip' })
      expect(again.body.equals(first.body)).toBe(true)
      expect({ status: first.status, encoding: first.headers['content-encoding'] }).toEqual({ status: 200, encoding: 'gzip' })
      const { etag = '' } = again.headers
      const had = await ask({ 'accept-encoding': 'gzip', 'if-none-match': etag })
      expect({ status: had.status, length: had.body.length, etag: had.headers.etag }).toEqual({ status: 304, length: 0, etag })
      expect(work.flatMap(({ mock }) => mock.calls.filter(([file]) => file !== join(folder, 'local.json')))).toEqual([])
    } finally {
      vi.restoreAllMocks()
      syncBuiltinESMExports()
    }
  })
})
