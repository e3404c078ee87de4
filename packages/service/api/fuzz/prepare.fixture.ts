/** This fixture prepares orders in different states, valid values for requests to them, and a fingerprint of the database. */

import type { Database } from '@tandem/party/store/database/database.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { sql } from 'kysely'
import { refundMessage } from '../../orders/refund-address.ts'
import { proofOf, signatureOf } from '../../testing/fake-chain.fixture.ts'
import { alice, aliceScript, bob, btc, eth, eventsOf, NOW, orderBody, type TestService, usdc, wbtc } from '../../testing/service.fixture.ts'
import type { Knowledge } from './requests.fixture.ts'

const USER_KEY = 'ab'.repeat(32)
const ELSEWHERE = 'fake1elsewherea'
/** Reads count signings and number events, and the check of readiness writes a lease of its own. */
const UNCOUNTED = ['signing_counts', 'status_changes', 'order_events', 'webhook_deliveries', 'leases']

export async function prepareKnowledge(service: TestService): Promise<Knowledge> {
  const secret = createSecret()
  const toBitcoin = orderBody(wbtc, btc)
  const fromBitcoin = orderBody(btc, wbtc)
  const withoutOwner = { ...fromBitcoin, source: { asset: btc, amount: '1000000' } }
  const coin = {
    source: { asset: eth, owner: alice, amount: '2000000000000000' },
    destination: { asset: usdc, owner: bob, amount: '1000000' },
  }
  const made = async (body: object) => {
    const { body: reply } = await service.call('POST', '/v2/orders', { body })
    const { order_id: id, order_token: token } = reply.result as { order_id: string; order_token: string }
    const stored = await storedOrder(service.db, id)
    return { order: stored.order, token }
  }

  const waiting = await made(toBitcoin)
  const expired = await made(withoutOwner)
  const locked = await made({ ...fromBitcoin, secret_hash: hashSecret(secret) })
  const declined = await made(fromBitcoin)
  await service.mine('bitcoin_regtest', { height: 100n, time: NOW }, [eventsOf(expired.order.source).initiated('a1'.repeat(32))])
  await service.mine('bitcoin_regtest', { height: 400n, time: NOW }, [
    eventsOf(locked.order.source).initiated('a2'.repeat(32)),
    eventsOf(declined.order.source).initiated('a3'.repeat(32)),
  ])
  await service.mine('ethereum_localnet', { height: 10n, time: NOW }, [
    eventsOf(locked.order.destination).initiated(`0x${'a4'.repeat(32)}`),
  ])

  const keyed = await made({ ...fromBitcoin, source: { ...fromBitcoin.source, owner: USER_KEY } })
  const orders = [waiting, expired, locked, declined, keyed]
  const assets = [btc, wbtc, eth, usdc, 'ETHEREUM_LOCALNET:USDC', 'arbitrum_localnet:wbtc', 'bitcoin_testnet:btc']
  const chains = ['bitcoin_regtest', 'ethereum_localnet', 'arbitrum_localnet', 'bitcoin_regtest,ethereum_localnet']
  const amounts = ['1000000', '990000', '10000', '100000000', '9999', '2000000000000000']
  const accounts = [alice, bob, aliceScript, USER_KEY]
  const movable = await made(fromBitcoin)
  const proof = proofOf(aliceScript, refundMessage(movable.order.id, ELSEWHERE))
  // The first reader of a new status records it with an event. Later reads change nothing.
  for (const { order } of [...orders, movable]) await service.call('GET', `/v2/orders/${order.id}`)
  return {
    words: {
      asset: assets,
      from: assets,
      to: assets,
      amount: amounts,
      from_amount: amounts,
      to_amount: amounts,
      chain: chains,
      from_chain: chains,
      to_chain: chains,
      source_chain: chains,
      destination_chain: chains,
      owner: accounts,
      delegate: accounts,
      address: [...accounts, ELSEWHERE, waiting.order.source.swapId],
      from_owner: accounts,
      to_owner: accounts,
      tx_hash: ['a1'.repeat(32), `0x${'A4'.repeat(32)}`],
      solver_id: ['first', 'second'],
      integrator: ['shop', 'rival'],
      status: ['all', 'display', 'pending', 'expired,refunded', 'created'],
      order_id: [...orders, movable].map(({ order }) => order.id),
      order_token: orders.map(({ token }) => token),
      action: ['initiate', 'redeem', 'refund', 'instant-refund'],
      signature: [signatureOf(waiting.order.source.terms), proof],
      secret: [secret],
      secret_hash: [hashSecret(secret), hashSecret(createSecret())],
      nonce: ['1', 'once'],
      name: ['evm:htlc', 'evm:htlc_erc20', 'evm:erc20', 'bitcoin:htlc'],
    },
    queries: {
      'GET /v2/quote': [
        { from: btc, to: wbtc, from_amount: '1000000' },
        { from: usdc, to: 'ethereum_localnet:usdc', to_amount: '1000000', slippage: '500', affiliate_fee: '1000', indicative: 'true' },
      ],
      'PATCH /v2/orders/{order_id}': ['initiate', 'redeem', 'refund', 'instant-refund'].map((action) => ({ action })),
    },
    bodies: {
      'POST /v2/orders': [
        toBitcoin,
        fromBitcoin,
        withoutOwner,
        coin,
        { ...fromBitcoin, source: { ...fromBitcoin.source, owner: USER_KEY } },
        { ...toBitcoin, destination: { ...toBitcoin.destination, owner: USER_KEY }, secret_hash: hashSecret(createSecret()) },
        {
          ...toBitcoin,
          slippage: 50,
          nonce: 7,
          solver_id: 'second',
          affiliate_fees: [{ address: bob, fee: 30 }],
          source: { ...toBitcoin.source, delegate: bob },
        },
      ],
      'PATCH /v2/orders/{order_id}': [
        {},
        { secret },
        { signature: signatureOf(waiting.order.source.terms) },
        { address: aliceScript, order_token: expired.token },
        { address: ELSEWHERE, signature: proof },
        { signatures: [] },
      ],
    },
    requests: {
      'PATCH /v2/orders/{order_id}': [
        { path: `/v2/orders/${movable.order.id}?action=refund`, body: { address: ELSEWHERE, signature: proof } },
        { path: `/v2/orders/${waiting.order.id}?action=initiate`, body: { signature: signatureOf(waiting.order.source.terms) } },
        { path: `/v2/orders/${expired.order.id}?action=refund`, body: { address: aliceScript, order_token: expired.token } },
        { path: `/v2/orders/${locked.order.id}?action=redeem`, body: { secret } },
        { path: `/v2/orders/${declined.order.id}?action=instant-refund`, body: { signatures: [], order_token: declined.token } },
      ],
    },
    appId: service.appId,
    otherAppId: service.otherAppId,
  }
}

export async function fingerprint(db: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_name <> all (${UNCOUNTED}::text[]) order by 1`.execute(
    db,
  )
  const hashes = tables.map(
    ({ name }) => sql`select ${name} || md5(coalesce(string_agg(r::text, '|' order by r::text), '')) as hash from ${sql.table(name)} as r`,
  )
  const { rows } = await sql<{ hash: string }>`${sql.join(hashes, sql` union all `)}`.execute(db)
  // The database may read the tables in any order.
  return rows
    .map(({ hash }) => hash)
    .sort()
    .join(' ')
}
