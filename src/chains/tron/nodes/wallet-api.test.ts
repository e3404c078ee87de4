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

/** A node that answers every question alike, or those of some paths otherwise. */
async function nodeThatAnswers(
  answer: unknown,
  { status = 200, ...paths }: { readonly status?: number; readonly [path: string]: unknown } = {},
): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const said = paths[request.url?.replace('/wallet/', '') ?? ''] ?? answer
    response.statusCode = status
    request.resume().on('end', () => response.end(typeof said === 'string' ? said : JSON.stringify(said)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({ server })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked }
}

function apiOf(...nodes: readonly { readonly url: string }[]): WalletApi {
  return agreeing(1, ...nodes)
}

function agreeing(quorum: number, ...nodes: readonly { readonly url: string }[]): WalletApi {
  const api = createWalletApi(
    nodes.map(({ url }) => url),
    quorum,
  )
  apis.push(api)
  return api
}

const dead = { url: 'http://127.0.0.1:1' }
const signed = { tx: 'ab', raw: '0x00' } as const

describe('broadcasting', () => {
  it('goes to every node, and one that takes it is enough', async () => {
    const [busy, good] = [await nodeThatAnswers({ code: 'SERVER_BUSY' }), await nodeThatAnswers({ result: true, code: 'SUCCESS' })]
    expect(await apiOf(dead, busy, good).broadcast(signed)).toBe('accepted')
    expect([busy.asked, good.asked]).toEqual([['/wallet/broadcasthex'], ['/wallet/broadcasthex']])
  })

  it.each([
    ['DUP_TRANSACTION_ERROR', 'shunned', {}],
    ['DUP_TRANSACTION_ERROR', 'accepted', { gettransactionfrompending: { txID: 'ab' } }],
    ['DUP_TRANSACTION_ERROR', 'accepted', { gettransactionbyid: { txID: 'ab' } }],
    ['TRANSACTION_EXPIRATION_ERROR', 'expired', {}],
    ['TAPOS_ERROR', 'stale', {}],
  ])('%s means %s from a node that knows %j', async (code, verdict, known) => {
    expect(await apiOf(dead, await nodeThatAnswers({ code, message: 'x' }, known)).broadcast(signed)).toBe(verdict)
  })

  it('is refused where one takes what others will not have, unless enough take it', async () => {
    const taking = async () => nodeThatAnswers({ code: 'SUCCESS' })
    const nodes = [await taking(), await nodeThatAnswers({ code: 'BANDWITH_ERROR', message: 'x' }), dead]
    // Not for certain: one has it.
    await expect(agreeing(2, ...nodes).broadcast(signed)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/BANDWITH_ERROR/),
    })
    expect(await agreeing(2, ...nodes, await taking()).broadcast(signed)).toBe('accepted')
  })

  it('fails with the refusal of a node rather than with the silence of another, in words or in hex', async () => {
    for (const message of ['Validate signature error', Buffer.from('Validate signature error').toString('hex')]) {
      const api = apiOf(dead, await nodeThatAnswers({ code: 'SIGERROR', message }))
      await expect(api.broadcast(signed)).rejects.toMatchObject({
        kind: 'would-fail',
        message: 'the node refused the transaction: SIGERROR: Validate signature error',
      })
    }
    for (const answer of [{ code: 'NO_CONNECTION' }, {}, 'no JSON', { Error: 'class java.lang.NullPointerException' }]) {
      await expect(apiOf(await nodeThatAnswers(answer)).broadcast(signed)).rejects.toMatchObject({ kind: 'unreachable' })
    }
  })
})

describe('reading', () => {
  const priced = (value: number) => ({ chainParameter: [{ key: 'getEnergyFee', value }] })

  it('hears the others when one is silent, talks nonsense, or has something in front of it that does', async () => {
    const good = await nodeThatAnswers(priced(210))
    const bad = [
      await nodeThatAnswers('<html>'),
      await nodeThatAnswers(priced(7), { status: 503 }),
      await nodeThatAnswers({ message: 'no key' }),
    ]
    const api = apiOf(dead, ...bad, good)
    expect(await api.energyPrice()).toBe(210n)
    expect(await api.energyPrice()).toBe(210n)
    expect(good.asked).toHaveLength(1)
    for (const value of [0, 2001])
      await expect(apiOf(await nodeThatAnswers(priced(value))).energyPrice()).rejects.toThrow(/no price of energy that can be/)
  })

  it('believes no node alone where several are asked', async () => {
    const [liar, modest] = [await nodeThatAnswers(priced(1900)), await nodeThatAnswers(priced(100))]
    expect(await agreeing(2, liar, modest, await nodeThatAnswers(priced(100))).energyPrice()).toBe(100n)
    // While the price changes, nobody is ahead of everybody.
    expect(await agreeing(2, liar, modest, await nodeThatAnswers(priced(210))).energyPrice()).toBe(210n)
    await expect(agreeing(2, dead, modest).energyPrice()).rejects.toMatchObject({ kind: 'unreachable' })
    const trial = (output: string) => ({
      result: { result: true },
      constant_result: [output],
      energy_used: 9,
      transaction: { ret: [{ ret: 'FAILED' }] },
    })
    const [yes, no] = [await nodeThatAnswers(trial('aa')), await nodeThatAnswers(trial('bb'))]
    const call = { to: '0x00000000000000000000000000000000000000aa', data: '0x' } as const
    await expect(agreeing(2, yes, no).tryCall(call)).rejects.toThrow(/2 must say the same/)
    expect(await agreeing(2, yes, no, await nodeThatAnswers(trial('bb'))).tryCall(call)).toEqual({
      isReverted: true,
      output: '0xbb',
      energy: 9n,
    })
    const broken = { result: { code: 'OTHER_ERROR', message: Buffer.from('Not enough energy').toString('hex') } }
    await expect(apiOf(await nodeThatAnswers(broken)).tryCall(call)).rejects.toThrow(/could not try the call: Not enough energy/)
  })

  it('tells staked energy and results, and nothing of what is not there', async () => {
    const resources = await nodeThatAnswers({ EnergyLimit: 900, EnergyUsed: 250 })
    expect(await apiOf(resources).resources('0x00000000000000000000000000000000000000aa')).toEqual({ energy: 650n })
    expect(await apiOf(await nodeThatAnswers({})).resources('0x00000000000000000000000000000000000000aa')).toEqual({ energy: 0n })
    expect(await apiOf(await nodeThatAnswers({})).result('ab')).toBeNull()
    const failed = { id: 'ab', receipt: { result: 'OUT_OF_ENERGY', energy_usage_total: 70 } }
    expect(await apiOf(await nodeThatAnswers(failed)).result('ab')).toEqual({ result: 'OUT_OF_ENERGY', energy: 70n })
  })
})
