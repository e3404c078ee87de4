/** Tests several Tron nodes behind one API: failover, quorum, and refusals with the node's own text. */

import { closeServersAfterEach, serve } from '@tandem/chain-kit/providers/wire.fixture.ts'
import { describe, expect, it } from 'vitest'
import { createWalletApi, type WalletApi } from './wallet-api.ts'

closeServersAfterEach()

/** Every request gets the same answer, except for some paths. */
async function nodeThatAnswers(
  answer: unknown,
  { status = 200, ...paths }: { readonly status?: number; readonly [path: string]: unknown } = {},
): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = []
  const url = await serve((request, response) => {
    const path = request.url?.split('/').at(-1) ?? ''
    asked.push(path)
    const said = paths[path] ?? answer
    response.writeHead(status).end(typeof said === 'string' ? said : JSON.stringify(said))
  })
  return { url, asked }
}

function apiOf(...nodes: readonly { readonly url: string }[]): WalletApi {
  return agreeing(1, ...nodes)
}

const troubles: string[] = []
function agreeing(quorum: number, ...nodes: readonly { readonly url: string }[]): WalletApi {
  troubles.length = 0
  const endpoints = { rpc: nodes.map(({ url }) => url) }
  return createWalletApi({ id: 'tron_test' }, { endpoints, quorum, onTrouble: (what) => troubles.push(what) })
}

const dead = { url: 'http://127.0.0.1:1' }
const signed = { tx: 'ab', raw: '0x00' } as const

describe('broadcasting', () => {
  it('goes to every node, and one that accepts it is enough', async () => {
    const [busy, good] = [await nodeThatAnswers({ code: 'SERVER_BUSY' }), await nodeThatAnswers({ result: true, code: 'SUCCESS' })]
    expect(await apiOf(dead, busy, good).broadcast(signed)).toBe('accepted')
    expect([busy.asked, good.asked]).toEqual([['broadcasthex'], ['broadcasthex']])
  })

  it.each([
    ['DUP_TRANSACTION_ERROR', 'duplicate', {}],
    ['DUP_TRANSACTION_ERROR', 'accepted', { gettransactionfrompending: { txID: 'ab' } }],
    ['DUP_TRANSACTION_ERROR', 'accepted', { gettransactionbyid: { txID: 'ab' } }],
    ['TRANSACTION_EXPIRATION_ERROR', 'expired', {}],
    ['TAPOS_ERROR', 'stale', {}],
  ])('%s means %s from a node that knows %j', async (code, result, known) => {
    expect(await apiOf(dead, await nodeThatAnswers({ code, message: 'x' }, known)).broadcast(signed)).toBe(result)
  })

  it('is refused where one node accepts what others refuse, unless a quorum accepts it', async () => {
    const taking = async () => nodeThatAnswers({ code: 'SUCCESS' })
    const nodes = [await taking(), await nodeThatAnswers({ code: 'BANDWITH_ERROR', message: 'x' }), dead]
    // The kind is not `would-fail`, because one node has the transaction.
    await expect(agreeing(2, ...nodes).broadcast(signed)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/BANDWITH_ERROR/),
    })
    expect(await agreeing(2, ...nodes, await taking()).broadcast(signed)).toBe('accepted')
  })

  it('fails with the refusal of one node rather than the timeout of another, in words or in hex', async () => {
    for (const message of ['Validate signature error', Buffer.from('Validate signature error').toString('hex')]) {
      const node = await nodeThatAnswers({ code: 'SIGERROR', message })
      const refusal = { message: 'the node refused the transaction: SIGERROR: Validate signature error' }
      await expect(apiOf(node).broadcast(signed)).rejects.toMatchObject({ kind: 'would-fail', ...refusal })
      // The node that does not answer may have forwarded the transaction, so the refusal is not final.
      await expect(apiOf(dead, node).broadcast(signed)).rejects.toMatchObject({ kind: 'unreachable', ...refusal })
    }
    for (const answer of [
      { code: 'NO_CONNECTION' },
      { Error: 'request rate exceeded the allowed_rps(15)' },
      {},
      'no JSON',
      { Error: 'class java.lang.NullPointerException' },
    ]) {
      await expect(apiOf(await nodeThatAnswers(answer)).broadcast(signed)).rejects.toMatchObject({ kind: 'unreachable' })
    }
  })
})

describe('reading', () => {
  const priced = (value: number) => ({ chainParameter: [{ key: 'getEnergyFee', value }] })

  it('asks the others when one is dead, or when it or its proxy answers something malformed', async () => {
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
      await expect(apiOf(await nodeThatAnswers(priced(value))).energyPrice()).rejects.toThrow(/implausible energy price/)
  })

  it('with a quorum of two believes no single node', async () => {
    const [liar, modest] = [await nodeThatAnswers(priced(1900)), await nodeThatAnswers(priced(100))]
    expect(await agreeing(2, liar, modest, await nodeThatAnswers(priced(100))).energyPrice()).toBe(100n)
    // While the price changes, no liar can be in the middle of three.
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
    await expect(agreeing(2, yes, no).simulateCall(call)).rejects.toThrow(/providers do not agree.*2 must/)
    expect(await agreeing(2, yes, no, await nodeThatAnswers(trial('bb'))).simulateCall(call)).toEqual({
      isReverted: true,
      output: '0xbb',
      energy: 9n,
    })
  })

  it('does not suspend a node for a call that it cannot simulate, but for not answering', async () => {
    const call = { to: '0x00000000000000000000000000000000000000aa', data: '0x' } as const
    const broken = { result: { code: 'OTHER_ERROR', message: Buffer.from('Not enough energy').toString('hex') } }
    await expect(apiOf(await nodeThatAnswers(broken)).simulateCall(call)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'triggerconstantcontract: the node could not simulate the call: Not enough energy',
    })
    expect(troubles).toEqual([])
    const [bad, good] = [await nodeThatAnswers('<html>'), await nodeThatAnswers(priced(210))]
    const api = apiOf(bad, good)
    await api.energyPrice()
    await api.stakedEnergy('0x00000000000000000000000000000000000000aa')
    expect(bad.asked).toEqual(['getchainparameters'])
    expect(troubles).toEqual([`tron_test: ${new URL(bad.url).host} is suspended for a while: getchainparameters: no JSON object`])
  })

  it('a single node can neither invent nor hide a result', async () => {
    const mined = { id: 'ab', receipt: { result: 'SUCCESS', energy_usage_total: 70 } }
    const [shows, hides] = [await nodeThatAnswers(mined), await nodeThatAnswers({})]
    expect(await agreeing(2, shows, hides, await nodeThatAnswers({})).result('ab')).toBeNull()
    expect(await agreeing(2, hides, shows, await nodeThatAnswers(mined)).result('ab')).toEqual({ result: 'SUCCESS', energy: 70n })
    await expect(agreeing(2, hides, shows).result('ab')).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('returns staked energy and results; zero and null if there is none', async () => {
    const resources = await nodeThatAnswers({ EnergyLimit: 900, EnergyUsed: 250 })
    expect(await apiOf(resources).stakedEnergy('0x00000000000000000000000000000000000000aa')).toBe(650n)
    expect(await apiOf(await nodeThatAnswers({})).stakedEnergy('0x00000000000000000000000000000000000000aa')).toBe(0n)
    expect(await apiOf(await nodeThatAnswers({})).result('ab')).toBeNull()
    const failed = { id: 'ab', receipt: { result: 'OUT_OF_ENERGY', energy_usage_total: 70 } }
    expect(await apiOf(await nodeThatAnswers(failed)).result('ab')).toEqual({ result: 'OUT_OF_ENERGY', energy: 70n })
  })
})
