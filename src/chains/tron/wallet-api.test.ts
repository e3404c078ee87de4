/** Several nodes behind one interface: a dead or busy one does not stand in the way of the others, and a refusal is told in the node's words. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createWalletApi, type WalletApi } from './wallet-api.ts'

const open: { readonly server: Server }[] = []
const apis: WalletApi[] = []
afterEach(async () => {
  for (const api of apis.splice(0)) api.close()
  for (const { server } of open.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A node that answers every question alike. */
async function nodeThatAnswers(answer: unknown): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    request.resume().on('end', () => response.end(typeof answer === 'string' ? answer : JSON.stringify(answer)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({ server })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked }
}

function apiOf(...nodes: readonly { readonly url: string }[]): WalletApi {
  const api = createWalletApi(nodes.map(({ url }) => url))
  apis.push(api)
  return api
}

const dead = { url: 'http://127.0.0.1:1' }

describe('broadcasting', () => {
  it('goes to every node, and one that takes it is enough', async () => {
    const [busy, good] = [await nodeThatAnswers({ code: 'SERVER_BUSY' }), await nodeThatAnswers({ result: true, code: 'SUCCESS' })]
    expect(await apiOf(dead, busy, good).broadcast('0x00')).toBe('accepted')
    expect([busy.asked, good.asked]).toEqual([['/wallet/broadcasthex'], ['/wallet/broadcasthex']])
  })

  it.each([
    ['DUP_TRANSACTION_ERROR', 'accepted'],
    ['TRANSACTION_EXPIRATION_ERROR', 'expired'],
    ['TAPOS_ERROR', 'stale'],
  ])('%s means %s', async (code, verdict) => {
    expect(await apiOf(dead, await nodeThatAnswers({ code, message: 'x' })).broadcast('0x00')).toBe(verdict)
  })

  it('fails with the refusal of a node rather than with the silence of another, in words or in hex', async () => {
    for (const message of ['Validate signature error', Buffer.from('Validate signature error').toString('hex')]) {
      const api = apiOf(dead, await nodeThatAnswers({ code: 'SIGERROR', message }))
      await expect(api.broadcast('0x00')).rejects.toMatchObject({
        kind: 'would-fail',
        message: 'the node refused the transaction: SIGERROR: Validate signature error',
      })
    }
    for (const answer of [{ code: 'NO_CONNECTION' }, {}, 'no JSON', { Error: 'class java.lang.NullPointerException' }]) {
      await expect(apiOf(await nodeThatAnswers(answer)).broadcast('0x00')).rejects.toMatchObject({ kind: 'unreachable' })
    }
  })
})

describe('reading', () => {
  it('asks the next node when one is silent or talks nonsense', async () => {
    const parameters = { chainParameter: [{ key: 'getEnergyFee', value: 210 }] }
    const [nonsense, good] = [await nodeThatAnswers('<html>'), await nodeThatAnswers(parameters)]
    const api = apiOf(dead, nonsense, good)
    expect(await api.energyPrice()).toBe(210n)
    expect(await api.energyPrice()).toBe(210n)
    expect(good.asked).toHaveLength(1)
    await expect(apiOf(await nodeThatAnswers({ chainParameter: [] })).energyPrice()).rejects.toThrow(/no price of energy/)
  })

  it('tells staked energy and results, and nothing of what is not there', async () => {
    const resources = await nodeThatAnswers({ EnergyLimit: 900, EnergyUsed: 250 })
    expect(await apiOf(resources).resources('0x00000000000000000000000000000000000000aa')).toEqual({ energy: 650n })
    expect(await apiOf(await nodeThatAnswers({})).resources('0x00000000000000000000000000000000000000aa')).toEqual({ energy: 0n })
    expect(await apiOf(await nodeThatAnswers({})).result('ab')).toBeNull()
    expect(await apiOf(await nodeThatAnswers({ id: 'ab', receipt: { result: 'OUT_OF_ENERGY' } })).result('ab')).toBe('OUT_OF_ENERGY')
  })
})
