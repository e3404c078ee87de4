/** Users have their own key in the HTLC: only they can move their coins, and they can refund without the service. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { p2tr } from '@scure/btc-signer'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { refundCommand } from '@tandem/cli/commands/refund.ts'
import { connectChain } from '@tandem/families/index.ts'
import { localChains } from '@tandem/families/registry.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { expect, test } from 'vitest'
import { type CoinStory, depositsOf, PAID_IN, type PlacedOrder } from './utxo-story.ts'

const LIMIT_MS = 600_000
const MAX_FEE = 10_000n
const SINGLE_ANYONECANPAY = '83'
const ALL = '01'

export function tellOfClientKeys(story: () => CoinStory): void {
  function makeKey() {
    const secretKey = randomBytes(32)
    const publicKey = schnorr.getPublicKey(secretKey)
    return {
      hex: bytesToHex(secretKey),
      owner: bytesToHex(publicKey),
      /** By BIP86, the HTLC pays this key at this address. */
      payoutAddress: p2tr(publicKey, undefined, story().coins.network).address ?? '',
      sign: (hash: string, type = SINGLE_ANYONECANPAY) => bytesToHex(schnorr.sign(hexToBytes(hash), secretKey)) + type,
    }
  }

  const hashesOf = ({ order_id }: PlacedOrder) => story().api.call('GET', `/orders/${order_id}/instant-refund-hash`) as Promise<string[]>
  const takeBack = ({ order_id, order_token }: PlacedOrder, signatures: readonly string[]) =>
    story().api.call('PATCH', `/orders/${order_id}?action=instant-refund`, { signatures, order_token }) as Promise<string>

  async function expectAt(tx: string, address: string, amount: bigint): Promise<void> {
    const paid = (await story().transaction(tx)).pays(address)
    expect(paid).toBeLessThan(amount)
    expect(paid).toBeGreaterThan(amount - MAX_FEE)
  }

  test.concurrent('an instant refund of two deposits needs one valid signature of the client for each', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, coins, until, untilStatus, signed } = story()
    const key = makeKey()
    const [order, other] = [await place({ owner: key.owner }), await place({ owner: key.owner })]
    const part = (coins.amount * 3n) / 10n
    for (const to of [order.to, order.to, other.to]) await userWallet.pay(to, part)
    for (const [{ order_id }, count] of [
      [order, 2],
      [other, 1],
    ] as const)
      await until(order_id, 'blocks', (one) => depositsOf(one).length === count && one.source_swap.current_confirmations > 0)

    const hashes = await hashesOf(order)
    expect(hashes).toHaveLength(2)
    expect(await hashesOf(order)).toEqual(hashes)
    const [first = '', second = ''] = hashes.map((hash) => key.sign(hash))
    const [elsewhere = ''] = (await hashesOf(other)).map((hash) => key.sign(hash))
    const count = { code: 'bad_request', message: expect.stringContaining('expected 2 signatures') }
    const wrong = (index: number) => ({
      code: 'invalid_signature',
      message: expect.stringContaining(`signatures[${index}], for hash ${index} of`),
    })
    await expect(takeBack(order, [])).rejects.toMatchObject(count)
    await expect(takeBack(order, [first])).rejects.toMatchObject(count)
    await expect(takeBack(order, [first, second, second])).rejects.toMatchObject(count)
    await expect(takeBack(order, [second, first])).rejects.toMatchObject(wrong(0))
    await expect(takeBack(order, [first, first])).rejects.toMatchObject(wrong(1))
    await expect(takeBack(order, [first, elsewhere])).rejects.toMatchObject(wrong(1))
    await expect(takeBack(order, [first, key.sign(hashes[1] ?? '', ALL)])).rejects.toMatchObject(wrong(1))
    await expect(takeBack(order, [makeKey().sign(hashes[0] ?? ''), second])).rejects.toMatchObject(wrong(0))
    expect((await untilStatus(order.order_id, 'initiate_detected')).source_swap.instant_refund_tx).toBeUndefined()

    const tx = await takeBack(order, [first, second])
    const refunded = await untilStatus(order.order_id, 'refunded')
    expect(refunded.source_swap.refund_tx_hash).toBe(tx)
    await expectAt(tx, key.payoutAddress, 2n * part)
    // The script path has two signatures, the script and the control block. A fee bump adds a coin of the service after the deposits.
    expect((await story().transaction(tx)).inputs.slice(0, 2).map(({ witness }) => witness.length)).toEqual([4, 4])
    expect(await signed('solver', order.order_id)).toEqual(new Map())
    await expectAt(await takeBack(other, [elsewhere]), key.payoutAddress, part)
  })

  test.concurrent('a client redeems with its own key and secret, and the solver redeems the source', { timeout: LIMIT_MS }, async () => {
    const { api, evm, coins, contractsOf, ownerOf, until, untilStatus, signed } = story()
    const key = makeKey()
    const secret = createSecret()
    const { token, htlc } = contractsOf(PAID_IN)
    await evm('ethereum_localnet').approve(token, htlc, 10n ** 12n)
    const quote = await api.quote({ from: PAID_IN, to: coins.asset, from_amount: '500000' })
    const destination = { asset: coins.asset, owner: key.owner, amount: quote.destination.amount }
    const request = { source: { asset: PAID_IN, owner: ownerOf(PAID_IN), amount: quote.source.amount }, destination }
    await expect(api.createOrder(request)).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('secret_hash') })
    const created = await api.createOrder({ ...request, secret_hash: hashSecret(secret) })
    await evm('ethereum_localnet').fund(created)
    const ready = await until(created.order_id, 'a request to the client', (one) => one.next_action?.what === 'redeem_destination')
    expect(ready).toMatchObject({
      status: 'counterparty_initiated',
      next_action: { who: 'user' },
      destination_swap: { redeemer: key.owner },
    })

    const { destination_swap: swap } = ready
    const chain = localChains.find(({ id }) => id === coins.id)
    if (chain === undefined) throw new Error(`${coins.id} is not in the registry`)
    const terms = {
      asset: chain.nativeAsset,
      initiator: swap.initiator,
      redeemer: swap.redeemer,
      amount: BigInt(swap.amount),
      secretHash: swap.secret_hash,
      timelock: BigInt(swap.timelock),
    }
    const client = await connectChain(chain, { assets: [], endpoints: { rpc: [coins.local.control.rpcUrl] } })
    try {
      // The client can derive the swap id from the terms and compare it.
      expect(client.swapId(terms)).toBe(swap.swap_id)
      const funding = await story().transaction(swap.initiate_tx_hash.split(':')[0] ?? '')
      const deposits = [{ id: funding.outpointOf(swap.swap_id), amount: terms.amount }]
      const outbox = createMemoryOutbox(createTestSigner(key.hex)).open('redeem')
      const tx = await client.redeem(terms, { deposits, to: key.payoutAddress, secret }, outbox)
      const done = await untilStatus(created.order_id, 'counterparty_redeemed')
      expect(done.destination_swap).toMatchObject({ redeem_tx_hash: tx, secret })
      await expectAt(tx, key.payoutAddress, terms.amount)
    } finally {
      await client.close()
    }
    expect(await signed('service', created.order_id)).toEqual(new Map())
  })

  test('service and solver are down: the refund package alone refunds the deposit after the timelock', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, coins, stack, untilStatus } = story()
    const key = makeKey()
    const [kept, ours] = [await place({ owner: key.owner }), await place()]
    await stack.solver.setRunning(false)
    const folder = await mkdtemp(join(tmpdir(), 'tandem-rescue-'))
    try {
      for (const { to } of [kept, ours]) await userWallet.pay(to, coins.amount)
      const { timelock } = (await untilStatus(kept.order_id, 'initiated')).source_swap
      await untilStatus(ours.order_id, 'initiated')
      await stack.service.setRunning(false)
      await coins.mine(timelock)
      await writeFile(join(folder, 'key'), key.hex, { mode: 0o600 })
      const rescue = (order: PlacedOrder, more: object) => rescueWith(join(folder, order.order_id), order, coins.local.control.rpcUrl, more)
      await expect(rescue(kept, {})).rejects.toThrow(/key/)
      const refunds = [await rescue(kept, { keyFile: join(folder, 'key') }), await rescue(ours, {})]
      expect(refunds.map(({ to }) => to)).toEqual([key.payoutAddress, userWallet.address])
      for (const { txid, to } of refunds) await expectAt(txid, to, coins.amount)
    } finally {
      await stack.service.setRunning(true)
      await stack.solver.setRunning(true)
      await rm(folder, { recursive: true, force: true })
    }
    for (const { order_id } of [kept, ours]) await untilStatus(order_id, 'refunded')
  })
}

/** The command is `tandem refund --package FILE --node rpc=URL --broadcast --json`. */
async function rescueWith(file: string, { refund_package }: PlacedOrder, rpc: string, more: object): Promise<{ txid: string; to: string }> {
  await writeFile(file, JSON.stringify(refund_package), { mode: 0o600 })
  const answers: string[] = []
  const terminal = { answer: (text: string) => void answers.push(text), note: () => undefined }
  await refundCommand({ package: file, node: `rpc=${rpc}`, broadcast: true, json: true, ...more }, terminal)
  return JSON.parse(answers.join(''))
}
