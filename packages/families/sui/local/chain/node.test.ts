// These tests check execution of transactions and checkpoints, locks of objects, the end of an epoch, and reorgs of the simulator.
import { bcs } from '@mysten/sui/bcs'
import { Transaction } from '@mysten/sui/transactions'
import { fromBase64 } from '@mysten/sui/utils'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { refOf } from '../grpc/gas-selection.ts'
import type { SuiObject } from '../objects/object.ts'
import { SUI_TYPE } from '../objects/types.ts'
import { type FixtureAccount, newAccount, openSuiFixture, SUI } from '../sui.fixture.ts'
import { EPOCH_MS } from './epochs.ts'
import { createSuiNode } from './node.ts'

const fixture = opened(openSuiFixture)
let sender: FixtureAccount
let recipient: string
beforeEach(async () => {
  sender = newAccount(fixture.chain)
  recipient = newAccount(fixture.chain).address
  await fixture.fund(SUI_TYPE, sender.address, 10n * SUI)
  fixture.chain.mine()
})

type Signed = { readonly bytes: Uint8Array; readonly signature: Uint8Array; readonly digest: string }

async function payment(amount: bigint, options: { coin?: SuiObject; expiresAfter?: bigint } = {}): Promise<Signed> {
  const { coin = sender.sender.coins(SUI_TYPE)[0], expiresAfter } = options
  if (coin === undefined) throw new Error('the sender has no coin')
  const tx = new Transaction()
  tx.transferObjects([tx.splitCoins(tx.gas, [amount])], recipient)
  tx.setSender(sender.address)
  tx.setGasPrice(fixture.chain.node.epochs.current().gasPrice)
  tx.setGasBudget(SUI / 10n)
  tx.setGasPayment([refOf(coin)])
  if (expiresAfter !== undefined) tx.setExpiration({ Epoch: Number(expiresAfter) })
  const bytes = await tx.build()
  const { signature } = await sender.keypair.signTransaction(bytes)
  return { bytes, signature: fromBase64(signature), digest: await tx.getDigest() }
}

const submit = ({ bytes, signature }: Signed) => fixture.chain.node.submit(bytes, [signature])
const received = () => fixture.balance(SUI_TYPE, recipient)
const refusal = (status: string, message = '') => expect.objectContaining({ status, message: expect.stringContaining(message) })

describe('checkpoints', () => {
  it('contain a transaction when one is made; it is executed before', async () => {
    const { ledger } = fixture.chain.node
    const before = ledger.tip()
    const sent = await payment(SUI)
    const { transaction, effects } = await submit(sent)
    expect(transaction.digest).toBe(sent.digest)
    expect(await received()).toBe(SUI)
    const executed = await fixture.client.getTransaction({ digest: sent.digest })
    expect(executed.Transaction).toMatchObject({ checkpoint: null, timestampMs: null })
    fixture.chain.mine()
    const found = await fixture.client.getTransaction({ digest: sent.digest })
    expect(found.Transaction?.checkpoint).toBe(String(before.sequenceNumber + 1))
    const { response } = await fixture.client.ledgerService.getCheckpoint({
      checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: BigInt(before.sequenceNumber + 1) },
      readMask: { paths: ['digest', 'summary.previous_digest', 'transactions.digest', 'contents.transactions'] },
    })
    expect(response.checkpoint?.summary?.previousDigest).toBe(before.digest)
    expect(response.checkpoint?.transactions.map(({ digest }) => digest)).toEqual([sent.digest])
    expect(response.checkpoint?.contents?.transactions[0]).toMatchObject({ transaction: sent.digest, effects: effects.digest })
  })

  it('are made for every second that passed, when somebody reads', () => {
    const clock = { now: 1_800_000_000_000 }
    const node = createSuiNode({ mining: 'timed', owners: [], now: () => clock.now })
    const first = node.ledger.tip()
    clock.now += 3_500
    node.catchUp()
    node.catchUp()
    expect(node.ledger.tip()).toMatchObject({ sequenceNumber: first.sequenceNumber + 3, timestampMs: first.timestampMs + 3_000 })
  })

  it('take transactions back on demand, which the real chain never does', async () => {
    const { chain } = fixture
    const sent = await payment(SUI)
    await submit(sent)
    chain.mine()
    const replaced = chain.node.ledger.tip()
    chain.faults.reorg(1, { checkpoints: 2 })
    expect(chain.node.ledger.byDigest(replaced.digest)).toBeNull()
    expect(chain.node.ledger.transaction(sent.digest)).toMatchObject({ checkpoint: null })
    expect(await received()).toBe(SUI)
    chain.mine()
    expect(chain.node.ledger.transaction(sent.digest)?.checkpoint?.sequenceNumber).toBe(replaced.sequenceNumber + 2)
    chain.faults.reorg(1, { transactions: 'drop' })
    expect(chain.node.ledger.transaction(sent.digest)).toBeNull()
    expect(await received()).toBe(0n)
    await submit(sent)
    expect(await received()).toBe(SUI)
  })
})

describe('a transaction whose answer is lost', () => {
  it('can be sent again, whether it was executed, only locked its coin, or never arrived', async () => {
    const { faults, node } = fixture.chain
    for (const lose of [faults.drop, faults.hold, faults.loseAnswers]) {
      const [coin] = sender.sender.coins(SUI_TYPE)
      const sent = await payment(SUI, coin && { coin })
      lose(1)
      await expect(submit(sent)).rejects.toEqual(refusal('UNAVAILABLE'))
      const isExecuted = lose === faults.loseAnswers
      expect(node.ledger.transaction(sent.digest) !== null).toBe(isExecuted)
      const executed = await submit(sent)
      expect((await submit(sent)).effects.digest).toBe(executed.effects.digest)
    }
    expect(await received()).toBe(3n * SUI)
  })
})

describe('two transactions over one version of a coin', () => {
  it('lock it until the epoch ends when the first one did not reach a quorum', async () => {
    const { chain } = fixture
    const [first, second] = [await payment(SUI), await payment(2n * SUI)]
    chain.faults.hold(1)
    await expect(submit(first)).rejects.toEqual(refusal('UNAVAILABLE'))
    await expect(submit(second)).rejects.toEqual(refusal('FAILED_PRECONDITION', first.digest))
    await expect(submit(first)).rejects.toEqual(refusal('FAILED_PRECONDITION', second.digest))
    expect(await received()).toBe(0n)
    chain.nextEpoch()
    await submit(second)
    await expect(submit(first)).rejects.toEqual(refusal('INVALID_ARGUMENT', 'is not available for consumption'))
    expect(await received()).toBe(2n * SUI)
  })

  it('are refused with the version when the first one was executed', async () => {
    const [first, second] = [await payment(SUI), await payment(2n * SUI)]
    await submit(first)
    await expect(submit(second)).rejects.toEqual(refusal('INVALID_ARGUMENT', 'is not available for consumption'))
    expect(await received()).toBe(SUI)
  })
})

describe('epochs', () => {
  it('end after a day or on demand; a transaction may end with one', async () => {
    const { chain, client } = fixture
    const { epoch } = chain.node.epochs.current()
    const sent = await payment(SUI, { expiresAfter: epoch })
    const lasting = await payment(2n * SUI, { expiresAfter: epoch + 1n })
    chain.passMs(EPOCH_MS)
    expect(chain.node.epochs.current().epoch).toBe(epoch + 1n)
    await expect(submit(sent)).rejects.toEqual(refusal('INVALID_ARGUMENT', 'Transaction Expired'))
    await submit(lasting)
    const { systemState } = await client.getCurrentSystemState()
    expect(systemState.epoch).toBe(String(epoch + 1n))
    chain.mine()
    const { response } = await client.ledgerService.getEpoch({ epoch, readMask: { paths: ['last_checkpoint', 'end'] } })
    const last = chain.node.ledger.checkpoint(Number(response.epoch?.lastCheckpoint ?? 0n))
    expect(last).toMatchObject({ epoch, isEndOfEpoch: true })
  })
})

describe('the clock', () => {
  it('is an object with a new version for every time', async () => {
    const read = async () => (await fixture.client.getObject({ objectId: '0x6', include: { content: true } })).object
    const before = await read()
    fixture.chain.passMs(1_234)
    const after = await read()
    const time = (content: Uint8Array | undefined) => BigInt(bcs.u64().parse((content ?? new Uint8Array()).slice(32)))
    expect(time(after.content)).toBeGreaterThanOrEqual(time(before.content) + 1_234n)
    expect(BigInt(after.version)).toBe(BigInt(before.version) + 1n)
  })
})

it('keeps every version of an object', async () => {
  const [coin] = sender.sender.coins(SUI_TYPE)
  await submit(await payment(SUI))
  const { store } = fixture.chain.node
  expect(store.at(coin?.id ?? '', coin?.version ?? 0n)).toBe(coin)
  expect(store.get(coin?.id ?? '')?.version).toBeGreaterThan(coin?.version ?? 0n)
})
