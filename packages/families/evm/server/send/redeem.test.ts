/** Tests that no node sees the secret of a redeem before the attempt is recorded, by a log of every request. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { generatePrivateKey } from 'viem/accounts'
import { expect, it } from 'vitest'
import { rejectingAccount } from '../../contract/artifacts/rejecting-account.ts'
import { openEvmClient } from '../client.fixture.ts'
import { evm } from '../index.ts'

const { fixture, client, termsFor } = await openEvmClient()
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))
let secret: string

const spend = { deposits: [], to: null }

async function initiated(symbol: string, redeemer: string = fixture.user.address): Promise<HtlcTerms> {
  secret = createSecret()
  const terms = termsFor(secret, symbol, { redeemer })
  await client.initiate(terms, outbox.open('i'))
  await fixture.mine()
  return terms
}

async function listening(): Promise<{ readonly on: ChainClient; readonly said: string[]; close(): Promise<void> }> {
  const said: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      said.push(body)
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(fixture.local.rpcUrl, { method: 'POST', headers, body })
      response.end(await answer.text())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const on = evm.connect(fixture.chain, { assets: fixture.assets, endpoints: { rpc: [`http://127.0.0.1:${port}`] } })
  const close = async () => {
    await on.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { on, said, close }
}

it.each(['eth', 'wbtc'])('no node sees the secret of a redeem in %s before its first attempt is recorded', async (symbol) => {
  const terms = await initiated(symbol)
  const { on, said, close } = await listening()
  const redeem = (fault?: 'lost-lease') => on.redeem(terms, { ...spend, secret }, outbox.open('r', fault && { fault }))
  await expect(redeem('lost-lease')).rejects.toThrow(OutboxFailure)
  expect(said.length).toBeGreaterThan(0)
  expect(said.filter((body) => body.includes(secret))).toEqual([])
  await redeem()
  await close()
  const shown = said.filter((body) => body.includes(secret))
  expect(shown.map((body) => JSON.parse(body).method)).toEqual(['eth_sendRawTransaction'])
  await fixture.mine()
  expect((await readSwap(client, terms, 0n)).swap.phase).toBe('redeemed')
})

it('the secret is neither shown nor recorded by an account that cannot pay for the gas', async () => {
  const terms = await initiated('eth')
  const poor = createMemoryOutbox(createTestSigner(generatePrivateKey()))
  const { on, said, close } = await listening()
  await expect(on.redeem(terms, { ...spend, secret }, poor.open('r'))).rejects.toMatchObject({
    kind: 'would-fail',
    message: expect.stringMatching(/0x[0-9a-f]{40} holds 0 .*needs [1-9]/),
  })
  await close()
  expect(poor.attempts('r')).toEqual([])
  expect(said.filter((body) => body.includes(secret))).toEqual([])
})

it('the secret is neither shown nor recorded when the payout would fail', async () => {
  const terms = await initiated('eth', await fixture.deploy(rejectingAccount))
  const { on, said, close } = await listening()
  await expect(on.redeem(terms, { ...spend, secret }, outbox.open('r'))).rejects.toMatchObject({ kind: 'would-fail' })
  await close()
  expect(outbox.attempts('r')).toEqual([])
  expect(said.filter((body) => body.includes(secret))).toEqual([])
})
