// This test plays the scenarios of the Move VM on the simulator's HTLC.
import { bcs } from '@mysten/sui/bcs'
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import { Inputs } from '@mysten/sui/transactions'
import { normalizeSuiAddress } from '@mysten/sui/utils'
import { describe, expect, it } from 'vitest'
import { assertBeforeCall, type Deployment, stateCall } from '../../contract/client/calls.ts'
import { abortCodes } from '../../contract/client/errors.ts'
import { decodeEvent } from '../../contract/client/events.ts'
import { type HtlcCall, type Party, partyAddress, partyKeys, type ScenarioOrder, type Step } from '../../contract/testing/scenario.ts'
import { scenarios } from '../../contract/testing/scenarios.ts'
import { orderIdOf } from '../../contract/testing/signature.ts'
import { start } from '../../contract/testing/steps.ts'
import { addCall } from '../../contract/testing/transaction.ts'
import { deployment, orders, termsOf } from '../../contract/testing/vectors.ts'
import type { ExecutedTransaction } from '../chain/checkpoint.ts'
import { GENESIS_DIGEST, USDC_TYPE } from '../chain/genesis.ts'
import { createSuiNode } from '../chain/node.ts'
import { refOf } from '../grpc/gas-selection.ts'
import { createRegistry, publishHtlc } from '../local-contracts.ts'
import { createLocalSender, type LocalSender } from '../local-sender.ts'
import { coinData, readCoin } from '../objects/coin.ts'
import { finishObject } from '../objects/object.ts'
import { events, orderId, refundDigest } from './htlc-source.ts'

const eventKinds: Readonly<Record<HtlcCall['entry'], string>> = {
  initiate: 'initiated',
  redeem: 'redeemed',
  refund: 'refunded',
  instant_refund: 'refunded',
  instant_refund_with_signature: 'refunded',
}

type Stage = Awaited<ReturnType<typeof openStage>>

async function openStage() {
  const clock = { now: Number(start) }
  const faucetKey = new Ed25519Keypair()
  const node = createSuiNode({ mining: 'manual', owners: [faucetKey.toSuiAddress()], now: () => clock.now })
  const faucet = createLocalSender(node, faucetKey)
  const packageId = await publishHtlc(faucet)
  const { id, initialSharedVersion } = await createRegistry(faucet, packageId, USDC_TYPE)
  const htlc: Deployment = { packageId, registry: id, initialSharedVersion, coinType: USDC_TYPE }
  const senders = new Map<Party, LocalSender>(
    (['alice', 'bob', 'carol'] as const).map((party) => [party, createLocalSender(node, partyKeys[party])]),
  )
  await faucet.execute((tx) => {
    for (const { address } of senders.values()) tx.transferObjects([tx.splitCoins(tx.gas, [10n ** 12n])], address)
  })
  return { clock, node, htlc, senders, given: { coins: 0 } }
}

function senderOf({ senders }: Stage, party: Party): LocalSender {
  const sender = senders.get(party)
  if (sender === undefined) throw new Error(`${party} sends no transactions`)
  return sender
}

function giveCoin({ node, htlc, given }: Stage, party: Party, amount: bigint): void {
  given.coins += 1
  const id = normalizeSuiAddress(`0xaa${given.coins}`)
  const owner = { kind: 'address', address: partyAddress(party, htlc.registry) } as const
  node.store.apply(new Map([[id, finishObject({ id, owner, data: coinData(id, USDC_TYPE, amount) }, 1n, GENESIS_DIGEST)]]))
}

function balanceOf({ node, htlc }: Stage, party: Party): bigint {
  const coins = node.store.ownedBy(partyAddress(party, htlc.registry)).map(readCoin)
  return coins.reduce((sum, coin) => sum + (coin?.coinType === USDC_TYPE ? coin.balance : 0n), 0n)
}

async function stateOf(stage: Stage, order: ScenarioOrder): Promise<bigint> {
  const { htlc } = stage
  const { execution } = await senderOf(stage, 'carol').execute((tx) => stateCall(tx, htlc, orderIdOf(order, htlc.registry) ?? ''))
  const [[value] = []] = execution.results
  return BigInt(bcs.u64().parse(value?.bytes ?? new Uint8Array()))
}

function submitCall(stage: Stage, from: Party, call: HtlcCall): Promise<ExecutedTransaction> {
  const sender = senderOf(stage, from)
  return sender.submit(async (tx) => {
    if (call.entry !== 'initiate') return addCall(tx, stage.htlc, call)
    const [coin] = sender.coins(USDC_TYPE)
    if (coin === undefined) throw new Error(`${from} has no coin`)
    const [paid] = tx.splitCoins(tx.object(Inputs.ObjectRef(refOf(coin))), [call.coinValue ?? call.order.amount])
    await addCall(tx, stage.htlc, call, paid)
  })
}

async function play(stage: Stage, step: Step): Promise<void> {
  switch (step.kind) {
    case 'fund':
      return giveCoin(stage, step.party, step.amount)
    case 'state':
      expect(await stateOf(stage, step.order)).toBe(step.state)
      return
    case 'balances':
      for (const [party, balance] of Object.entries(step.balances))
        expect([party, balanceOf(stage, party as Party)]).toEqual([party, balance])
      return
    case 'call': {
      stage.clock.now = Number(step.at)
      const { execution } = await submitCall(stage, step.from, step.call)
      if (step.abort !== undefined) {
        const location = { packageId: stage.htlc.packageId, module: 'htlc' }
        expect(execution.failure?.failure).toMatchObject({ kind: 'abort', code: BigInt(abortCodes[step.abort]), location })
        expect(execution.events).toEqual([])
        return
      }
      expect(execution.failure).toBeNull()
      const events = execution.events.map(({ type, contents }) => decodeEvent(stage.htlc.packageId, type, contents))
      expect(events).toMatchObject([{ kind: eventKinds[step.call.entry], registry: stage.htlc.registry }])
    }
  }
}

describe('the HTLC of the simulator', () => {
  it.each(scenarios)('$name', async ({ steps }) => {
    const stage = await openStage()
    for (const step of steps) await play(stage, step)
  })

  it('fails a transaction from its deadline on', async () => {
    const stage = await openStage()
    const sendBefore = (deadline: bigint) => senderOf(stage, 'alice').submit((tx) => assertBeforeCall(tx, stage.htlc.packageId, deadline))
    expect((await sendBefore(start + 1n)).execution.failure).toBeNull()
    expect((await sendBefore(start)).execution.failure?.failure).toMatchObject({ kind: 'abort', code: BigInt(abortCodes.TooLate) })
  })
  it.each(orders)('hashes and emits what the Move VM does for order $orderId', (vector) => {
    const { registry } = deployment
    const { secretHash, ...terms } = termsOf(vector)
    const [id, secret_hash] = [Buffer.from(vector.orderId, 'hex'), Buffer.from(secretHash, 'hex')]
    expect(Buffer.from(orderId(registry, { ...terms, secretHash: secret_hash }))).toEqual(id)
    expect(Buffer.from(refundDigest(registry, id)).toString('hex')).toBe(vector.refundDigest)
    const order = { registry, order_id: id }
    const initiated = { ...order, ...terms, secret_hash, initiated_at: BigInt(vector.initiatedAt) }
    expect({
      initiated: events.Initiated.serialize(initiated).toHex(),
      redeemed: events.Redeemed.serialize({ ...order, secret: Buffer.from(vector.secret, 'hex') }).toHex(),
      refunded: events.Refunded.serialize(order).toHex(),
    }).toEqual(vector.events)
  })
})
