// Tests decisions about attempts, against a simulated node that answers what the test sets.
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../terms/networks.ts'
import { scriptOfAddress, walletAddress } from '../terms/script/address.ts'
import type { ReplacedFee } from '../terms/wallet/fees.ts'
import { signWalletPayment } from '../terms/wallet/sign.ts'
import { randomSigner, regtest } from './bitcoin.fixture.ts'
import { createBlocksSince } from './blocks/blocks-since.ts'
import { type Action, type BuildRequest, execute, type Inspection, knownAttempts } from './execute.ts'
import type { BitcoinBackend, BroadcastResult } from './nodes/backend.ts'
import type { Pace } from './wallet/fee-estimator.ts'
import { chain, failure } from './wallet/manual-mining.fixture.ts'

const refused = (reason: string): BroadcastResult => ({ accepted: false, reason })

function createFixture() {
  const signer = randomSigner()
  const outbox = createMemoryOutbox(signer)
  const script = scriptOfAddress(walletAddress(randomSigner().publicKey, regtest), regtest)
  const state = {
    place: null as 'mempool' | 'block' | null,
    broadcast: { accepted: true } as BroadcastResult,
    answers: new Map<string, BroadcastResult>(),
    fee: null as bigint | null,
    paces: [] as Pace[],
    network: regtest,
    inspection: { kind: 'clear' } as Inspection,
    feeRate: 2_000n,
    ancestorFee: null as ReplacedFee | null,
    sent: [] as string[],
    built: [] as BuildRequest[],
    tip: { height: 100n, hash: 'aa'.repeat(32), parentHash: 'bb'.repeat(32), time: outbox.open('action').now },
  }
  const answers: Pick<BitcoinBackend, 'placeOf' | 'broadcast' | 'tip' | 'unconfirmedFee'> = {
    tip: async () => state.tip,
    unconfirmedFee: async () => state.ancestorFee,
    placeOf: async () => state.place,
    async broadcast(raw) {
      state.sent.push(raw)
      return state.answers.get(raw) ?? state.broadcast
    },
  }
  // The code under test calls nothing else of a node.
  const backend = answers as BitcoinBackend
  let blocks = createBlocksSince(backend)
  const forget = () => {
    blocks = createBlocksSince(backend)
  }
  const mine = () => {
    const height = state.tip.height + 1n
    state.tip = { ...state.tip, height, hash: height.toString(16).padStart(64, '0') }
  }
  const run = (secondsLeft?: bigint) => {
    const open = outbox.open('action', secondsLeft === undefined ? {} : { secondsLeft })
    const action: Action = {
      attempts: knownAttempts(open),
      inspect: async () => state.inspection,
      async build(request) {
        state.built.push(request)
        const fee = state.fee ?? 1_000n * BigInt(state.built.length)
        const signed = signWalletPayment(
          signer,
          [{ outpoint: `${'ab'.repeat(32)}:0`, amount: 100_000n }],
          [{ amount: 100_000n - fee, script }],
        )
        return { signed, fee }
      },
      restoreInputs: async () => false,
      mayReplace: () => true,
    }
    const feeRate = async (pace: Pace) => {
      state.paces.push(pace)
      return state.feeRate
    }
    return execute({ chain, network: state.network, backend, outbox: open, others: open.others, feeRate, blocks }, action)
  }
  return { state, outbox, mine, forget, run, attempts: () => outbox.attempts('action') }
}

describe('attempts', () => {
  it('are recorded before they are broadcast, and rebroadcast unchanged', async () => {
    const { state, run, attempts } = createFixture()
    state.broadcast = refused('min relay fee not met')
    await expect(run()).rejects.toThrow(failure('would-fail', /min relay fee/))
    expect(attempts().map((attempt) => attempt.raw)).toEqual(state.sent)
    state.broadcast = { accepted: true }
    const tx = await run()
    expect(attempts().map((attempt) => attempt.tx)).toEqual([tx])
    expect(state.sent).toHaveLength(2)
  })

  it.each(['Transaction already in block chain', 'txn-already-in-mempool', 'Transaction outputs already in utxo set'])(
    'that the node knows already (%s) are success',
    async (reason) => {
      const { state, run, attempts } = createFixture()
      state.broadcast = refused(reason)
      expect(await run()).toBe(attempts()[0]?.tx)
      expect(await run()).toBe(attempts()[0]?.tx)
      expect(attempts()).toHaveLength(1)
    },
  )

  it.each(['non-BIP68-final', 'too-long-mempool-chain', 'mandatory-script-verify-flag-failed (x)'])(
    'are not replaced for %s',
    async (reason) => {
      const { state, run, attempts } = createFixture()
      state.broadcast = refused(reason)
      await expect(run()).rejects.toThrow(failure('would-fail'))
      await expect(run()).rejects.toThrow(failure('would-fail'))
      expect(attempts()).toHaveLength(1)
    },
  )

  it('pay by urgency, and a high fee from the start where nodes do not replace transactions', async () => {
    for (const [network, secondsLeft, pace] of [
      [regtest, undefined, 'normal'],
      [regtest, 60n, 'urgent'],
      [networkOf('litecoin:regtest'), undefined, 'fast'],
      [networkOf('litecoin:regtest'), 60n, 'urgent'],
    ] as const) {
      const { state, run } = createFixture()
      state.network = network
      await run(secondsLeft)
      expect(state.paces).toEqual([pace])
    }
  })

  it('that the node calls invalid do not stop the rebroadcast of older ones', async () => {
    const { state, outbox, mine, run, attempts } = createFixture()
    const tx = await run()
    state.place = 'mempool'
    outbox.passSeconds(chain.feeBumpSeconds)
    mine()
    await run()
    const [older, newer] = attempts()
    state.place = null
    state.answers.set(newer?.raw ?? '', refused('mandatory-script-verify-flag-failed (x)'))
    expect(await run()).toBe(tx)
    expect(state.sent.slice(-2)).toEqual([newer?.raw, older?.raw])
  })

  it('that the node calls invalid are signed again when a fee bump is due, if the result differs', async () => {
    const { state, outbox, mine, run, attempts } = createFixture()
    state.fee = 1_000n
    state.broadcast = refused('mandatory-script-verify-flag-failed (x)')
    await expect(run()).rejects.toThrow(failure('would-fail'))
    await expect(run()).rejects.toThrow(failure('would-fail', /mandatory-script/))
    outbox.passSeconds(chain.feeBumpSeconds)
    await expect(run()).rejects.toThrow(failure('would-fail', /mandatory-script/))
    mine()
    await expect(run()).rejects.toThrow(failure('would-fail', /mandatory-script/))
    expect(attempts()).toHaveLength(1)
    state.fee = 1_500n
    state.answers.set(attempts()[0]?.raw ?? '', state.broadcast)
    state.broadcast = { accepted: true }
    expect(await run()).toBe(attempts()[1]?.tx)
  })

  it('that are refused as underpriced get a fee bump after a time or when the market rate rises, not at every call', async () => {
    const { state, outbox, mine, run, attempts } = createFixture()
    // The fee is 1000 sat over 110 vB.
    state.feeRate = 9_000n
    state.broadcast = refused('mempool min fee not met')
    await expect(run()).rejects.toThrow(failure('would-fail'))
    for (let i = 0; i < 5; i++) await expect(run()).rejects.toThrow(failure('would-fail', /a fee bump follows later/))
    expect(attempts()).toHaveLength(1)
    state.feeRate = 50_000n
    await expect(run()).rejects.toThrow(failure('would-fail'))
    expect(attempts()).toHaveLength(2)
    state.feeRate = 9_000n
    outbox.passSeconds(chain.feeBumpSeconds)
    mine()
    await expect(run()).rejects.toThrow(failure('would-fail'))
    expect(attempts()).toHaveLength(3)
    expect(state.built[2]?.replaced?.fee).toBeGreaterThanOrEqual(2_000n)
  })

  it('outbid a conflicting transaction immediately, and only once', async () => {
    const { state, run, attempts } = createFixture()
    state.broadcast = refused('insufficient fee, rejecting replacement')
    await expect(run()).rejects.toThrow(failure('would-fail'))
    state.inspection = { kind: 'conflict', replaced: { fee: 1_500n, rate: 9_000n } }
    await expect(run()).rejects.toThrow(failure('would-fail'))
    expect(state.built[1]?.replaced).toEqual({ fee: 1_500n, rate: 9_000n })
    expect(attempts()).toHaveLength(2)
    await expect(run()).rejects.toThrow(failure('would-fail'))
    expect(attempts()).toHaveLength(2)
  })

  it('stay valid when their replacement is refused', async () => {
    const { state, outbox, mine, run, attempts } = createFixture()
    const tx = await run()
    state.place = 'mempool'
    outbox.passSeconds(chain.feeBumpSeconds)
    mine()
    state.broadcast = refused('insufficient fee, rejecting replacement')
    expect(await run()).toBe(tx)
    expect(attempts()).toHaveLength(2)
  })

  it('also outbid the child of the payee', async () => {
    const { state, outbox, mine, run } = createFixture()
    await run()
    state.place = 'mempool'
    outbox.passSeconds(chain.feeBumpSeconds)
    mine()
    state.ancestorFee = { fee: 5_000n, rate: 1_000n }
    await run()
    expect(state.built[1]?.replaced?.fee).toBe(5_000n)
  })

  it('are rebroadcast once per block while they are unconfirmed', async () => {
    const { state, mine, run, attempts } = createFixture()
    const tx = await run()
    state.place = 'mempool'
    state.broadcast = refused('txn-already-in-mempool')
    for (let i = 0; i < 3; i++) expect(await run()).toBe(tx)
    expect(state.sent).toHaveLength(1)
    mine()
    for (let i = 0; i < 3; i++) expect(await run()).toBe(tx)
    expect(state.sent).toHaveLength(2)
    // A reorg leads to another block of the same height.
    state.tip = { ...state.tip, hash: 'cd'.repeat(32) }
    for (let i = 0; i < 3; i++) expect(await run()).toBe(tx)
    expect(state.sent).toEqual([1, 2, 3].map(() => attempts()[0]?.raw))
    state.place = 'block'
    mine()
    expect(await run()).toBe(tx)
    expect(state.sent).toHaveLength(3)
  })

  it('are replaced sooner close to the deadline', async () => {
    const { state, outbox, mine, run } = createFixture()
    const tx = await run()
    state.place = 'mempool'
    outbox.passSeconds(chain.feeBumpSeconds / 2n)
    mine()
    expect(await run()).toBe(tx)
    expect(await run(60n)).not.toBe(tx)
  })

  it('are not replaced before a new block, at any time of the clocks', async () => {
    const { state, outbox, mine, run } = createFixture()
    const tx = await run()
    state.place = 'mempool'
    state.tip = { ...state.tip, time: state.tip.time + 7200n }
    outbox.passSeconds(chain.feeBumpSeconds * 100n)
    expect(await run()).toBe(tx)
    expect(await run(60n)).toBe(tx)
    mine()
    expect(await run()).not.toBe(tx)
  })

  it('of an earlier process are replaced when a block is certainly newer, or comes after the first check', async () => {
    const { state, outbox, mine, run, forget } = createFixture()
    const first = await run()
    state.place = 'mempool'
    outbox.passSeconds(chain.feeBumpSeconds)
    forget()
    mine()
    expect(await run()).toBe(first)
    mine()
    const second = await run()
    expect(second).not.toBe(first)
    outbox.passSeconds(chain.feeBumpSeconds)
    forget()
    state.tip = { ...state.tip, time: outbox.open('action').now + 7201n }
    expect(await run()).not.toBe(second)
  })

  it('ignore the fees of earlier attempts whose coins were spent', async () => {
    const { state, outbox, mine, run } = createFixture()
    await run()
    outbox.passSeconds(chain.feeBumpSeconds)
    mine()
    state.broadcast = refused('bad-txns-inputs-missingorspent')
    await expect(run()).rejects.toThrow(failure('would-fail'))
    expect(state.built[1]?.replaced).toBeNull()
  })

  it('that turn out to be mined are returned', async () => {
    const { state, run, attempts } = createFixture()
    const tx = await run()
    state.broadcast = refused('bad-txns-inputs-missingorspent')
    state.inspection = { kind: 'done', tx }
    expect(await run()).toBe(tx)
    expect(attempts()).toHaveLength(1)
  })
})
