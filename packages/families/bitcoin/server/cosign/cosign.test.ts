// Tests which co-signed redeems are completed, which are refused, and how the simulated chain validates them.
import { bytesToHex } from '@noble/hashes/utils.js'
import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { SpendableDeposit } from '@tandem/chain-kit/port/spend.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { composeInputs, REPLACEABLE_SEQUENCE } from '../../terms/wallet/sign.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { parseTransaction } from '../script/transaction.ts'
import { chain, type Fixture, failure, startFixture } from '../wallet/manual-mining.fixture.ts'
import { batchRedeemOf, cosignedRedeemOf, redeemCosigned } from './cosign.fixture.ts'
import { draftCosigned, startCosigning, verifyCosigned } from './cosign.ts'
import type { CosignDraft } from './payloads.ts'

type Deal = RedeemItem & { readonly initiator: TestSigner }

const FEE_RATE = 2_000n

function dealOf(redeemer: TestSigner, deposits: readonly SpendableDeposit[], asset: AssetId = 'bitcoin_regtest:btc'): Deal {
  const [initiator, secret] = [randomSigner(), createSecret()]
  const terms: HtlcTerms = {
    asset,
    initiator: identityOf(initiator),
    redeemer: identityOf(redeemer),
    amount: 100_000n,
    secretHash: hashSecret(secret),
    timelock: 20n,
  }
  return { terms, deposits, secret, initiator }
}

describe('a co-signed redeem', () => {
  const redeemer = randomSigner()
  const deposit = (byte: string, amount: bigint) => ({ id: `${byte.repeat(32)}:1`, amount })
  const first = dealOf(redeemer, [deposit('aa', 100_000n), deposit('ab', 50_000n)])
  const second = dealOf(redeemer, [deposit('bb', 70_000n)])
  const deals = [first, second]
  const begin = (some: readonly Deal[] = deals) =>
    startCosigning(
      regtest,
      some.map(({ initiator, ...item }) => ({ ...item, signer: initiator })),
    )
  const draftFor = (some: readonly Deal[], nonces: readonly (readonly string[])[], signer = redeemer) =>
    draftCosigned(
      regtest,
      some.map((deal, index) => ({ ...deal, nonces: nonces[index] ?? [] })),
      signer,
      FEE_RATE,
    )
  const complete = (some: readonly Deal[] = deals) => {
    const session = begin(some)
    return session.finish(draftFor(some, session.nonces))
  }
  const refused = (reason: RegExp) => expect.objectContaining({ code: 'bad_request', message: expect.stringMatching(reason) })

  it('spends every deposit by one signature of 64 bytes, into the wallet of the redeemer', () => {
    const raw = complete()
    const { inputs, outputs, vsize } = parseTransaction(raw)
    expect(inputs.map(({ outpoint }) => outpoint)).toEqual(deals.flatMap(({ deposits }) => deposits.map(({ id }) => id)))
    expect(inputs.flatMap(({ witness }) => witness.map((item) => item.length))).toEqual([64, 64, 64])
    expect(outputs.map(({ script }) => script)).toEqual([scriptOfAddress(walletAddress(redeemer.publicKey, regtest), regtest)])
    expect(220_000n - (outputs[0]?.amount ?? 0n)).toBe((vsize * FEE_RATE) / 1_000n)
    expect(() => verifyCosigned(regtest, raw, deals, redeemer)).not.toThrow()
  })

  it('takes 99 vB for one deposit, and 57.5 for each further one', () => {
    expect(parseTransaction(complete([second])).vsize).toBe(99n)
    expect(parseTransaction(complete()).vsize).toBe(99n + 115n)
  })

  it('is finished once, with new nonces each time; a second call throws and reveals nothing', () => {
    const session = begin()
    expect(begin().nonces).not.toEqual(session.nonces)
    const draft = draftFor(deals, session.nonces)
    session.finish(draft)
    expect(() => session.finish(draft)).toThrow('is finished')
    const failed = begin()
    expect(() => failed.finish(draft)).toThrow(expect.objectContaining({ code: 'invalid_signature' }))
    expect(() => failed.finish(draftFor(deals, failed.nonces))).toThrow('is finished')
  })

  it('may leave out whole items, but no deposit of an item that is in it', () => {
    const session = begin()
    const raw = session.finish(draftFor([second], session.nonces.slice(1)))
    expect(() => verifyCosigned(regtest, raw, [second], redeemer)).not.toThrow()
    expect(() => verifyCosigned(regtest, raw, deals, redeemer)).toThrow(refused(/1 of 3/))
    const another = begin()
    const partly = [{ ...first, deposits: first.deposits.slice(0, 1) }]
    const draft = draftFor(partly, [another.nonces[0]?.slice(0, 1) ?? []])
    expect(() => another.finish(draft)).toThrow(refused(/does not spend all deposits/))
  })

  const attempt = (change: (draft: CosignDraft, nonces: readonly (readonly string[])[]) => CosignDraft, some: readonly Deal[] = deals) => {
    const session = begin(some)
    return () => session.finish(change(draftFor(some, session.nonces), session.nonces))
  }
  const stranger = dealOf(redeemer, [deposit('dd', 30_000n)])

  it.each<[string, RegExp, () => unknown]>([
    [
      'that spends something unknown',
      /not one of the deposits/,
      attempt((_, nonces) => draftFor([...deals, stranger], [...nonces, begin([stranger]).nonces[0] ?? []])),
    ],
    [
      'that names an amount wrong',
      /is wrong/,
      attempt((_, nonces) => draftFor([{ ...first, deposits: first.deposits.map(({ id }) => ({ id, amount: 60_000n })) }, second], nonces)),
    ],
    ['that pays somebody else', /wallet alone/, attempt((draft) => ({ ...draft, transaction: paying(randomSigner()) }))],
    ['that pays nobody', /wallet alone/, attempt((draft) => ({ ...draft, transaction: paying() }))],
    ['with another output than was signed', /is wrong/, attempt((draft) => ({ ...draft, transaction: paying(redeemer) }))],
    [
      'with partial signatures in another order',
      /order of its inputs/,
      attempt((draft) => ({ ...draft, inputs: draft.inputs.toReversed() })),
    ],
    ['with one partial signature too few', /order of its inputs/, attempt((draft) => ({ ...draft, inputs: draft.inputs.slice(1) }))],
    [
      'without its last partial signature',
      /no partial signature for/,
      attempt((draft) => ({ ...draft, inputs: draft.inputs.slice(0, -1) })),
    ],
    [
      'with one partial signature too many',
      /order of its inputs/,
      attempt((draft) => ({ ...draft, inputs: [...draft.inputs, ...draft.inputs.slice(0, 1)] })),
    ],
    [
      'with the parts of two deposits exchanged',
      /:1 is wrong/,
      attempt((draft) => ({
        ...draft,
        inputs: draft.inputs.map((part, index, all) => ({ ...part, signature: all[(index + 1) % all.length]?.signature ?? '' })),
      })),
    ],
    ['made for the nonces of another signing', /is wrong/, attempt(() => draftFor(deals, begin().nonces))],
    [
      'that spends a deposit twice',
      /twice/,
      attempt((draft) => ({ ...draft, transaction: composed([first.deposits[0], first.deposits[0]], redeemer) })),
    ],
    [
      'with another sequence number',
      /plain, unsigned/,
      attempt((draft) => ({ ...draft, transaction: draft.transaction.replaceAll('fdffffff', 'feffffff') })),
    ],
    ['with a lock time', /plain, unsigned/, attempt((draft) => ({ ...draft, transaction: `${draft.transaction.slice(0, -8)}01000000` }))],
    ['that is signed already', /plain, unsigned/, attempt((draft) => ({ ...draft, transaction: complete() }))],
    ['that is not a transaction', /cannot be read/, attempt((draft) => ({ ...draft, transaction: draft.transaction.slice(0, -2) }))],
    ['that is empty', /cannot be read/, attempt((draft) => ({ ...draft, transaction: '' }))],
  ])('refuses a draft %s', (_, reason, finish) => {
    expect(finish).toThrow(expect.objectContaining({ name: 'TandemError', message: expect.stringMatching(reason) }))
  })

  function composed(deposits: readonly (SpendableDeposit | undefined)[], ...to: readonly TestSigner[]): string {
    const inputs = deposits.flatMap((one) =>
      one === undefined ? [] : [{ outpoint: one.id, amount: one.amount, script: new Uint8Array(34), sequence: REPLACEABLE_SEQUENCE }],
    )
    const outputs = to.map(({ publicKey }) => ({ amount: 200_000n, script: scriptOfAddress(walletAddress(publicKey, regtest), regtest) }))
    return bytesToHex(composeInputs(inputs, outputs).unsignedTx)
  }
  const paying = (...to: readonly TestSigner[]) =>
    composed(
      deals.flatMap(({ deposits }) => deposits),
      ...to,
    )

  it('is started and drafted only by its parties, for existing deposits', () => {
    const { nonces } = begin()
    expect(() => draftFor(deals, nonces, randomSigner())).toThrow('only the redeemer')
    expect(() => startCosigning(regtest, [{ ...first, signer: redeemer }])).toThrow('only the initiator')
    expect(() => begin([first, first])).toThrow(refused(/named twice/))
    expect(() => draftFor([first], [[]])).toThrow(refused(/a nonce for each of 2/))
    expect(() => draftFor([], [])).toThrow(failure('would-fail'))
    const dust = dealOf(redeemer, [deposit('ee', 300n)])
    expect(() => draftFor([dust], begin([dust]).nonces)).toThrow(failure('uneconomic'))
  })

  it('is accepted only when it is complete', () => {
    const raw = complete()
    const { inputs } = parseTransaction(raw)
    const [signature = new Uint8Array()] = inputs[0]?.witness ?? []
    const spoiled = raw.replace(bytesToHex(signature), bytesToHex(signature.toReversed()))
    expect(() => verifyCosigned(regtest, spoiled, deals, redeemer)).toThrow(refused(/signature for .* is wrong/))
    expect(() => verifyCosigned(regtest, paying(redeemer), deals, redeemer)).toThrow(refused(/is wrong/))
    expect(() => verifyCosigned(regtest, raw, deals, randomSigner())).toThrow(refused(/wallet alone/))
    expect(() => verifyCosigned(regtest, raw, [first], redeemer)).toThrow(refused(/not one of the deposits/))
    expect(() => verifyCosigned(regtest, raw, [...deals, stranger], redeemer)).toThrow(refused(/3 of 4/))
    const dearer = [first, { ...second, deposits: [deposit('bb', 700_000n)] }]
    expect(() => verifyCosigned(regtest, raw, dearer, redeemer)).toThrow(refused(/fee would be/))
    const cheaper = [first, { ...second, deposits: [deposit('bb', 60_000n)] }]
    expect(() => verifyCosigned(regtest, raw, cheaper, redeemer)).toThrow(refused(/fee would be -/))
    expect(() => verifyCosigned(regtest, raw.slice(2), deals, redeemer)).toThrow(refused(/cannot be read/))
    expect(() => verifyCosigned(regtest, `${raw.slice(0, -8)}01000000`, deals, redeemer)).toThrow(refused(/lock time/))
  })
})

describe.each(['rpc', 'esplora'] as const)('redeems by both parties through %s', (endpoint) => {
  let fixture: Fixture
  beforeEach(async () => {
    fixture = await startFixture(endpoint)
  })
  afterEach(() => fixture.node.close())

  async function funded(...amounts: readonly bigint[]): Promise<Deal> {
    const deal = dealOf(fixture.solver, [], chain.nativeAsset)
    for (const amount of amounts) await fixture.node.faucet(fixture.client.swapId(deal.terms), amount)
    fixture.node.mine(1)
    const { deposits } = await fixture.swapState(deal.terms)
    return { ...deal, deposits: deposits.map(({ id, amount }) => ({ id, amount })) }
  }

  it('redeem several HTLCs in one transaction, which shows no secret and counts as a redeem of each', async () => {
    const deals = [await funded(100_000n, 40_000n), await funded(60_000n)]
    const transaction = await redeemCosigned(fixture.client, deals, fixture.solver)
    const { send: redeem } = cosignedRedeemOf(fixture.client)
    const tx = await redeem(deals, transaction, fixture.solverOutbox.open('redeem'))
    expect(await fixture.mempool()).toEqual([tx])
    expect(await fixture.rpc<string>('getrawtransaction', tx)).toBe(transaction)
    fixture.node.mine(1)
    for (const { terms } of deals) expect(await fixture.swapState(terms)).toMatchObject({ phase: 'redeemed', secret: null })
    const { outputs } = parseTransaction(transaction)
    expect(await fixture.client.balance(chain.nativeAsset, fixture.client.addressOf(fixture.solver))).toBe(outputs[0]?.amount)
  })

  it('takes 99 vB where the script path takes 143', async () => {
    const deal = await funded(100_000n)
    const { send: redeem } = cosignedRedeemOf(fixture.client)
    const tx = await redeem([deal], await redeemCosigned(fixture.client, [deal], fixture.solver), fixture.solverOutbox.open('redeem'))
    expect((await fixture.unminedFee(tx)).vsize).toBe(99n)
    const alone = await funded(100_000n)
    const other = await batchRedeemOf(fixture.client).redeem([alone], createMemoryOutbox(fixture.solver).open('redeem'))
    expect((await fixture.unminedFee(other)).vsize).toBe(143n)
  })
})
