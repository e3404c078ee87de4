/** Tests which claims of affiliates are signed. What they earned is in the ledger. */
import type { Distributor } from '@tandem/chain-kit/port/abilities/distributor.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Signer } from '@tandem/keys/key.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createFakeChain } from '../testing/fake-chain.fixture.ts'
import type { SignClaims } from './claim-question.ts'
import { createClaims, noClaims } from './claims.ts'
import { createClaimSigner } from './sign-claims.ts'

const [first, second, without] = ['ethereum_localnet', 'arbitrum_localnet', 'bitcoin_regtest'] as const
const keys = createKeyring([createKey('secp256k1', '11'.repeat(32))])
const log = createLogger({ name: 'test', level: 'silent' })

const store = sharedStore()
let paid: Map<string, bigint>
let held: bigint
let deployed: boolean
let asked: number
let failure: { readonly chain: string; readonly error: Error } | null
let signed: Signer['purpose'][]
beforeEach(async () => {
  await sql`truncate signed_claims, affiliate_totals`.execute(store.db)
  paid = new Map()
  held = 1000n
  deployed = true
  asked = 0
  failure = null
  signed = []
})

const notUsed = (): never => {
  throw new Error('not used')
}

function clientOf(id: string): ChainClient {
  const chain = localChains.find((known) => known.id === id)
  if (chain === undefined) throw new Error(`no ${id}`)
  const distributor: Distributor = {
    contractOf: () => `contract on ${id}`,
    tokenOf: notUsed,
    async isDeployed() {
      asked += 1
      return deployed
    },
    async paid(_key, accounts) {
      if (failure?.chain === id) throw failure.error
      expect(accounts.map(({ recipient }) => recipient)).not.toContain('a friend')
      return accounts.map(({ recipient }) => paid.get(recipient) ?? 0n)
    },
    async sign(signer, { recipient, total }) {
      signed.push(signer.purpose)
      return `${recipient} ${total}`
    },
    deploy: notUsed,
    fund: notUsed,
  }
  const fake = createFakeChain(chain, 'account')
  const parseAddress = (text: string) => {
    if (text.length > 3) throw new TandemError('invalid_address', `"${text}" is no address`)
    return text.toLowerCase()
  }
  return { ...fake, text: { ...fake.text, parseAddress }, balance: async () => held, ...(id !== without && { distributor }) }
}

const clients = new Map([first, second, without].map((id) => [id as string, clientOf(id)]))
const earned = (affiliate: string, total: bigint, chain: string = first) => ({ affiliate, chain, asset: `${chain}:usdc` as AssetId, total })
type Earned = ReturnType<typeof earned>

/** Each one acts as a process. It reads claims of what is put into the ledger before. */
function openClaims(sign: SignClaims = createClaimSigner({ db: store.db, registry: { assets: localAssets }, clients, log }, keys)) {
  const claims = createClaims(clients, keys, sign)
  return {
    ...claims,
    async read(accounts: readonly Earned[]) {
      await inLedger(accounts)
      return claims.read(accounts)
    },
  }
}

async function inLedger(accounts: readonly Earned[]): Promise<void> {
  for (const { affiliate, asset, total } of accounts)
    await sql`
      insert into affiliate_totals (app, affiliate, asset, orders, amount, usd, paid_in)
      values ('shop', ${affiliate}, ${asset}, 1, ${total.toString()}::numeric, 1, ${total.toString()}::numeric)
      on conflict (app, affiliate, asset) do update set amount = excluded.amount, paid_in = excluded.paid_in`.execute(store.db)
}

test('the amount due is signed as a total; earnings that were paid, or that no contract pays, cannot be claimed', async () => {
  const claims = openClaims()
  paid = new Map([
    ['ann', 40n],
    ['ben', 100n],
    ['cat', 101n],
  ])
  const states = await claims.read([
    earned('dan', 7n, without),
    earned('ann', 100n),
    earned('ben', 100n),
    earned('ann', 50n, second),
    earned('cat', 100n),
  ])
  const claim = { kind: 'claimable', contract: `contract on ${first}` }
  expect(states).toEqual([
    { kind: 'none' },
    { ...claim, amount: 60n, total: 100n, signature: 'ann 100' },
    { kind: 'none' },
    { ...claim, contract: `contract on ${second}`, amount: 10n, total: 50n, signature: 'ann 50' },
    { kind: 'none' },
  ])
  expect(signed).toContainEqual({ kind: 'claim', chain: first, asset: `${first}:usdc`, recipient: 'ann', total: 100n })
  expect([first, without, 'moon'].map(claims.paysOn)).toEqual([true, false, false])
  expect(noClaims.paysOn(first)).toBe(false)
  expect(await noClaims.read([earned('ann', 100n)])).toEqual([{ kind: 'none' }])
})

test('nothing is signed that the contract cannot pay, and the answer has the reason', async () => {
  const claims = openClaims()
  held = 99n
  expect(await claims.read([earned('ann', 100n), earned('ben', 99n)])).toMatchObject([
    {
      kind: 'unavailable',
      reason: `contract on ${first} holds 99 of the 100 that are due, besides what is promised to others: the operator has to fund it`,
    },
    { kind: 'claimable', amount: 99n },
  ])
})

test('an account from before affiliates were paid that is no address, or not in its canonical form, hides no other', async () => {
  const claims = openClaims()
  expect(await claims.read([earned('a friend', 5n), earned('Ann', 5n), earned('ann', 7n)])).toMatchObject([
    { kind: 'unavailable', reason: `"a friend" is not an address on ${first}: the operator has to pay it in another way` },
    { kind: 'unavailable', reason: /"Ann" is not an address/ },
    { kind: 'claimable', amount: 7n },
  ])
})

test('a contract that is not deployed yet is looked for again, a deployed one only once', async () => {
  const claims = openClaims()
  deployed = false
  for (const _ of [1, 2]) expect(await claims.read([earned('ann', 1n)])).toMatchObject([{ kind: 'unavailable', reason: /not deployed/ }])
  deployed = true
  for (const _ of [1, 2]) expect(await claims.read([earned('ann', 1n)])).toMatchObject([{ kind: 'claimable' }])
  expect(asked).toBe(3)
})

test('a chain that cannot be read hides no other; any other error is thrown', async () => {
  const claims = openClaims()
  failure = { chain: first, error: new ChainFailure('unreachable', 'secret://node is down') }
  expect(await claims.read([earned('ann', 1n), earned('ann', 1n, second)])).toMatchObject([
    { kind: 'unavailable', reason: `${first} cannot be read at the moment` },
    { kind: 'claimable' },
  ])
  failure = { chain: first, error: new TypeError('a bug') }
  await expect(claims.read([earned('ann', 1n)])).rejects.toThrow('a bug')
})

test('unpaid signed claims are never more than the contract holds, over all affiliates, calls and processes', async () => {
  held = 100n
  const [one, another] = [openClaims(), openClaims()]
  const names = ['ann', 'ben', 'cat', 'dan']
  const asked = await Promise.all(names.map((name, index) => (index % 2 === 0 ? one : another).read([earned(name, 40n)])))
  const kinds = asked.flat().map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'claimable')).toHaveLength(2)
  const given = names.filter((_, index) => kinds[index] === 'claimable')
  const [first2 = '', second2 = ''] = given
  const rest = names.filter((name) => !given.includes(name))
  // A repeated question signs the same claims again, and no others.
  expect((await one.read(names.map((name) => earned(name, 40n)))).map(({ kind }) => kind)).toEqual(kinds)
  // A higher total for an affiliate with a signature counts only by what it adds: 20 are left.
  expect(await one.read([earned(first2, 61n)])).toMatchObject([
    { kind: 'unavailable', reason: expect.stringContaining('holds 60 of the 61') },
  ])
  expect(await one.read([earned(first2, 60n)])).toMatchObject([{ kind: 'claimable', amount: 60n }])
  expect(await one.read([earned(rest[0] ?? '', 1n)])).toMatchObject([
    { kind: 'unavailable', reason: expect.stringContaining('holds 0 of the 1') },
  ])
  // The contract pays one of them, so its promise is kept. The other promise stays.
  paid.set(first2, 60n)
  held = 40n
  expect(await one.read([earned(rest[0] ?? '', 1n)])).toMatchObject([{ kind: 'unavailable' }])
  held = 41n
  expect(await one.read([earned(rest[0] ?? '', 1n)])).toMatchObject([{ kind: 'claimable', amount: 1n }])
  expect(await one.read([earned(second2, 40n)])).toMatchObject([{ kind: 'claimable', amount: 40n }])
})

test('a page whose sum is more than the contract holds is signed in its order, as far as that goes', async () => {
  held = 100n
  const claims = openClaims()
  expect(await claims.read([earned('ann', 60n), earned('ben', 50n), earned('cat', 40n)])).toMatchObject([
    { kind: 'claimable' },
    { kind: 'unavailable', reason: expect.stringContaining('holds 40 of the 50') },
    { kind: 'claimable' },
  ])
})

test('the total that is signed is that of the ledger, whatever the API says', async () => {
  const account = earned('ann', 50n)
  await inLedger([account, { ...account, asset: `${first}:wbtc`, total: 1_000n }])
  await sql`insert into affiliate_totals (app, affiliate, asset, orders, amount, usd, paid_in) values ('rival', 'ann', ${account.asset}, 1, 9, 1, 7)`.execute(
    store.db,
  )
  const sign = createClaimSigner({ db: store.db, registry: { assets: localAssets }, clients, log }, keys)
  const claims = createClaims(clients, keys, sign)
  // The part that is not paid in is missing in it, and what other apps paid in is in it.
  expect(await claims.read([{ ...account, total: 900n }, earned('eve', 900n)])).toMatchObject([
    { kind: 'claimable', amount: 57n, total: 57n },
    { kind: 'none' },
  ])
  const contract = `contract on ${first}`
  expect(await sign({ asset: account.asset, contract, affiliates: ['Ann', 'a friend'] })).toMatchObject([
    { kind: 'unavailable', reason: /not an address/ },
    { kind: 'unavailable', reason: /not an address/ },
  ])
  expect(await sign({ asset: account.asset, contract: 'another', affiliates: ['ann'] })).toMatchObject([
    { kind: 'unavailable', reason: /the engine signs for contract on .* and the API expects another/ },
  ])
  for (const [asset, reason] of [
    [`${without}:btc`, /does not serve bitcoin_regtest, or has no key/],
    ['moon:usdc', /does not know moon:usdc/],
  ] as const)
    expect(await sign({ asset, contract, affiliates: ['ann'] })).toMatchObject([{ kind: 'unavailable', reason }])
  expect(signed).toHaveLength(1)
})
