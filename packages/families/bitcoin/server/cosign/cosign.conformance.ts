/** States the requirements on co-signed spends, for any node of the family: the node's validation of the signatures counts. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networkOf } from '../../terms/networks.ts'
import { randomSigner, type TestChain } from '../bitcoin.fixture.ts'
import { bitcoin } from '../index.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { parseTransaction } from '../script/transaction.ts'
import { cosignedRedeemOf, instantRefundOf, redeemCosigned, signEach, signTogether, waysToSign } from './cosign.fixture.ts'

export function describeCosigning(name: string, start: () => Promise<TestChain>): void {
  describe(name, () => {
    let node: TestChain
    let client: ChainClient
    let backend: BitcoinBackend
    let from: bigint
    const [initiator, redeemer, relay] = [randomSigner(), randomSigner(), randomSigner()]
    const parties = { initiator, redeemer }

    beforeAll(async () => {
      node = await start()
      client = bitcoin.connect(node.chain, { assets: [], endpoints: node.endpoints })
      backend = createCoreBackend(node.endpoints.rpc?.[0] ?? '', networkOf(node.chain.reference))
      from = (await client.tip()).height
    })
    afterAll(async () => {
      await client?.close()
      await backend?.close()
      await node?.close()
    })

    const swapState = async (terms: HtlcTerms) => (await readSwap(client, terms, from)).swap

    async function funded(...amounts: readonly bigint[]) {
      const secret = createSecret()
      const terms: HtlcTerms = {
        asset: node.chain.nativeAsset,
        initiator: client.identityOf(initiator),
        redeemer: client.identityOf(redeemer),
        amount: 400_000n,
        secretHash: hashSecret(secret),
        timelock: 200n,
      }
      for (const amount of amounts) await node.pay(client.swapId(terms), amount)
      await node.mine(1)
      const deposits = (await swapState(terms)).deposits.map(({ id, amount }) => ({ id, amount }))
      expect(deposits).toHaveLength(amounts.length)
      return { terms, deposits, secret, initiator }
    }

    const tampered = (raw: string, bytes: Uint8Array | undefined) => {
      const text = bytesToHex(bytes ?? new Uint8Array())
      const changed = raw.replace(text, `${text.slice(0, -2)}${text.endsWith('00') ? '01' : '00'}`)
      expect(changed).not.toBe(raw)
      return changed
    }
    const invalid = { accepted: false, reason: expect.stringMatching(/Schnorr/) }

    it('refunds deposits by key path and by script path in one transaction, with a coin that pays the remaining fee', async () => {
      const { terms, deposits } = await funded(300_000n, 200_000n)
      const to = client.addressOf(initiator)
      // The fee is below the minimum relay fee: it was agreed when fees were lower.
      const refunds = deposits.map(({ id, amount }) => ({ deposit: id, amount, to, pays: amount - 1n }))
      const signed = [
        ...(await signTogether(client, terms, refunds.slice(0, 1), parties)),
        ...(await signEach(client, terms, refunds.slice(1), parties)),
      ]
      const box = createMemoryOutbox(relay)
      const { send } = instantRefundOf(client)
      await expect(send(terms, signed, box.open('without a coin'))).rejects.toThrow(/refused/)
      await node.pay(client.addressOf(relay), 100_000n)
      await node.mine(1)
      const tx = await send(terms, signed, box.open('refund'))
      const [attempt] = box.attempts('refund')
      const { inputs, outputs } = parseTransaction(attempt?.raw ?? '')
      expect(inputs.map(({ witness }) => witness.map((item) => item.length).slice(0, 2))).toEqual([
        [65],
        [65, 65],
        [expect.any(Number), 33],
      ])
      expect(outputs.slice(0, 2).map(({ amount }) => amount)).toEqual(refunds.map(({ pays }) => pays))
      await node.mine(1)
      const after = await swapState(terms)
      expect(after).toMatchObject({ phase: 'refunded', secret: null })
      expect(after.deposits.map((deposit) => deposit.spend?.tx)).toEqual([tx, tx])
      expect(await client.balance(node.chain.nativeAsset, to)).toBe(refunds.reduce((sum, { pays }) => sum + pays, 0n))
    })

    it.each(Object.entries(waysToSign))('refuses another output or another signature, by %s', async (_, sign) => {
      const { terms, deposits } = await funded(250_000n)
      const refunds = deposits.map(({ id, amount }) => ({ deposit: id, amount, to: client.addressOf(relay), pays: amount - 10_000n }))
      const box = createMemoryOutbox(randomSigner())
      const signed = await sign(client, terms, refunds, parties)
      const send = (fault?: 'dies-after-recording') =>
        instantRefundOf(client).send(terms, signed, box.open('refund', fault === undefined ? {} : { fault }))
      await expect(send('dies-after-recording')).rejects.toThrow('dies-after-recording')
      const raw = box.attempts('refund')[0]?.raw ?? ''
      const { outputs, inputs } = parseTransaction(raw)
      expect(await backend.broadcast(tampered(raw, outputs[0]?.script))).toMatchObject(invalid)
      expect(await backend.broadcast(tampered(raw, inputs[0]?.witness[0]?.subarray(0, 64)))).toMatchObject(invalid)
      expect(await send()).toBe(box.attempts('refund')[0]?.tx)
      await node.mine(1)
      expect((await swapState(terms)).phase).toBe('refunded')
    })

    it('redeems several HTLCs by key path, which shows no secret and counts as a redeem of each', async () => {
      const deals = [await funded(100_000n, 40_000n), await funded(60_000n)]
      const transaction = await redeemCosigned(client, deals, redeemer)
      const { vsize, outputs } = parseTransaction(transaction)
      expect(vsize).toBe(99n + 115n)
      expect(await backend.broadcast(tampered(transaction, outputs[0]?.script))).toMatchObject(invalid)
      const box = createMemoryOutbox(redeemer)
      const tx = await cosignedRedeemOf(client).send(deals, transaction, box.open('redeem'))
      await node.mine(1)
      for (const { terms } of deals) {
        const swap = await swapState(terms)
        expect(swap).toMatchObject({ phase: 'redeemed', secret: null })
        expect(swap.deposits.every((deposit) => deposit.spend?.tx === tx)).toBe(true)
      }
      expect(await client.balance(node.chain.nativeAsset, client.addressOf(redeemer))).toBe(outputs[0]?.amount)
    })

    it('takes 99 vB for one deposit by key path', async () => {
      const deal = await funded(100_000n)
      const transaction = await redeemCosigned(client, [deal], redeemer)
      expect(parseTransaction(transaction).vsize).toBe(99n)
      expect(await backend.broadcast(transaction)).toEqual({ accepted: true })
      await node.mine(1)
    })
  })
}
