/** Tests that keys sign on chains of the Bitcoin family what their purpose says, and nothing that a thief of everything but the key would ask for. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { p2wpkh } from '@scure/btc-signer'
import { localChains } from '@tandem/families/registry.ts'
import { createTestSigner, type TestSigner } from '@tandem/keys/keys.fixture.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { type OrderAction, type OrderPurpose, orderPurpose, type Purpose, type SignedVerb } from '@tandem/keys/purpose.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { htlcOf } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { walletAddress } from '../terms/script/address.ts'
import { identityOf } from '../terms/script/user-key.ts'
import { composeLeafSpends, type LeafInput, type SpendableCoin } from '../terms/wallet/sign.ts'
import { beginInstantRefund, composeRefunds } from './cosign/instant-refund.ts'
import { jobs } from './cosign/signing-jobs.ts'
import { createPermit } from './permit.ts'
import type { TransactionOutput } from './script/transaction.ts'
import { bitcoinSigning } from './signing.ts'

const chainOf = (reference: string) => {
  const found = localChains.find((known) => known.reference === reference)
  if (found === undefined) throw new Error(`there is no local chain of ${reference}`)
  return found
}
const [chain, regtest] = [chainOf('bitcoin:regtest'), networkOf('bitcoin:regtest')]
const permit = createPermit(chain, regtest)
const [own, user, relay, thief] = ['42', '43', '44', '45'].map((byte) => createTestSigner(byte.repeat(32))) as [
  TestSigner,
  TestSigner,
  TestSigner,
  TestSigner,
]
const walletOf = ({ publicKey }: TestSigner) => p2wpkh(publicKey).script
const addressOf = ({ publicKey }: TestSigner) => walletAddress(publicKey, regtest)
const userAddress = walletAddress(createTestSigner('46'.repeat(32)).publicKey, regtest)
const userScript = p2wpkh(createTestSigner('46'.repeat(32)).publicKey).script
const [secret, otherSecret] = [createSecret(), createSecret()]

/** We are the initiator of what we pay, and the redeemer of what we are paid. The user has an order key. */
const paying: HtlcTerms = {
  asset: chain.nativeAsset,
  initiator: identityOf(own),
  redeemer: identityOf(user),
  amount: 1_000_000n,
  timelock: 20n,
  secretHash: hashSecret(secret),
}
const paid: HtlcTerms = { ...paying, initiator: identityOf(user), redeemer: identityOf(own) }
const alsoPaid: HtlcTerms = { ...paid, amount: 77_000n, secretHash: hashSecret(otherSecret) }

const actionOf = (verb: SignedVerb, terms: HtlcTerms, to?: string): OrderAction => ({
  order: 'order',
  leg: 'source',
  verb,
  terms,
  ...(to !== undefined && { to }),
})
const purposeOf = (verb: SignedVerb, terms: HtlcTerms, to?: string) => orderPurpose(chain.id, actionOf(verb, terms, to))
const several = (verb: SignedVerb): OrderPurpose => ({
  kind: 'order',
  chain: chain.id,
  actions: [actionOf(verb, paid), actionOf(verb, alsoPaid)],
})

const outpoint = (byte: string, vout = 0) => `${byte.repeat(32)}:${vout}`
const coin = (amount: bigint, vout = 0): SpendableCoin => ({ outpoint: outpoint('cc', vout), amount })
const output = (amount: bigint, script: Uint8Array): TransactionOutput => ({ amount, script })

const redeemInput = (terms: HtlcTerms, amount = terms.amount, shown = secret, byte = 'aa'): LeafInput => {
  const { script, redeem } = htlcOf(terms, regtest)
  return { outpoint: outpoint(byte), amount, script, leaf: redeem, items: [hexToBytes(shown)], timelock: null }
}
const refundInput = (terms: HtlcTerms): LeafInput => {
  const { script, refund } = htlcOf(terms, regtest)
  return { outpoint: outpoint('aa'), amount: terms.amount, script, leaf: refund, items: [], timelock: terms.timelock }
}
const sponsorCoin = { ...coin(50_000n), script: walletOf(relay) }
const payout = [output(999_000n, userScript), output(49_000n, walletOf(relay))]
const sponsored = (outputs: readonly TransactionOutput[]) =>
  bytesToHex(composeLeafSpends([redeemInput(paying)], [sponsorCoin], outputs).unsignedTx)

const refund = { deposit: outpoint('aa'), amount: 1_000_000n, to: userAddress, pays: 999_000n }
const withFeeInput = (change: bigint, more: readonly TransactionOutput[] = []) => {
  const transaction = composeRefunds(regtest, paid, [refund])
  transaction.addInput({ txid: 'cc'.repeat(32), index: 0, sequence: 0xfffffffd, witnessUtxo: { script: walletOf(relay), amount: 50_000n } })
  for (const one of more) transaction.addOutput(one)
  transaction.addOutput({ script: walletOf(relay), amount: change })
  return bytesToHex(transaction.unsignedTx)
}

/** Made by the parties themselves: the redeemer's draft, for the nonces of the initiators. */
const items = [
  { terms: paid, deposits: [{ id: outpoint('aa'), amount: 1_000_000n }] },
  { terms: alsoPaid, deposits: [{ id: outpoint('ab'), amount: 77_000n }] },
]
const offers = jobs.beginCosigning([user, user], regtest, items)
const drafted = jobs.draft(
  [own],
  regtest,
  items.map((item, index) => ({ ...item, offer: offers[index] ?? '' })),
  2_000n,
)
const draft = 'draft' in drafted ? drafted.draft : ''
const [nonce = ''] = beginInstantRefund(regtest, paid, [refund], user).nonces
const answer = jobs.answerRefund([own], regtest, paid, [refund], JSON.stringify([nonce]))

type Ask = {
  readonly key: TestSigner
  readonly purpose: Purpose
  readonly operation: string
  readonly args: readonly unknown[]
  readonly isOrderKey?: true
}
const lock = output(paying.amount, htlcOf(paying, regtest).script)
const withdrawal = { kind: 'withdraw', chain: chain.id, asset: chain.nativeAsset, recipient: userAddress, amount: 5_000n } as const
const refundTerms = { ...paying }

const ALLOWED: readonly (readonly [what: string, ask: Ask])[] = [
  [
    'a lock with change',
    {
      key: own,
      purpose: purposeOf('initiate', paying),
      operation: 'walletPayment',
      args: [
        [coin(800_000n), coin(700_000n, 1)],
        [lock, output(498_000n, walletOf(own))],
      ],
    },
  ],
  [
    'a lock without change',
    { key: own, purpose: purposeOf('initiate', paying), operation: 'walletPayment', args: [[coin(1_001_000n)], [lock]] },
  ],
  [
    'a child that pays for a lock',
    {
      key: own,
      purpose: purposeOf('initiate', paying),
      operation: 'walletPayment',
      args: [[coin(498_000n)], [output(400_000n, walletOf(own))]],
    },
  ],
  [
    'a cancellation',
    {
      key: own,
      purpose: purposeOf('cancel', paying),
      operation: 'walletPayment',
      args: [[coin(800_000n), coin(700_000n, 1)], [output(1_499_000n, walletOf(own))]],
    },
  ],
  [
    'a withdrawal',
    {
      key: own,
      purpose: withdrawal,
      operation: 'walletPayment',
      args: [[coin(8_000n)], [output(5_000n, userScript), output(2_500n, walletOf(own))]],
    },
  ],
  [
    'a redeem',
    { key: own, purpose: purposeOf('redeem', paid), operation: 'leafSpends', args: [[redeemInput(paid)], output(999_000n, walletOf(own))] },
  ],
  [
    'a redeem of a batch',
    {
      key: own,
      purpose: several('redeem'),
      operation: 'leafSpends',
      args: [[redeemInput(paid), redeemInput(alsoPaid, 77_000n, otherSecret, 'ab')], output(1_076_000n, walletOf(own))],
    },
  ],
  [
    'a refund',
    {
      key: own,
      purpose: purposeOf('refund', refundTerms),
      operation: 'leafSpends',
      args: [[refundInput(refundTerms)], output(999_000n, walletOf(own))],
    },
  ],
  [
    'a payout',
    {
      key: user,
      purpose: purposeOf('redeem', paying, userAddress),
      operation: 'leafSpends',
      isOrderKey: true,
      args: [[redeemInput(paying)], output(999_000n, userScript)],
    },
  ],
  [
    "a user's refund",
    {
      key: user,
      purpose: purposeOf('refund', paid, userAddress),
      operation: 'leafSpends',
      isOrderKey: true,
      args: [[refundInput(paid)], output(999_000n, userScript)],
    },
  ],
  [
    'a payout with a sponsor',
    {
      key: user,
      purpose: purposeOf('redeem', paying, userAddress),
      operation: 'leafWitnesses',
      isOrderKey: true,
      args: [[redeemInput(paying)], [sponsorCoin], payout],
    },
  ],
  [
    'the coin of a sponsor',
    { key: relay, purpose: purposeOf('redeem', paying, userAddress), operation: 'walletInput', args: [sponsored(payout), 1, 50_000n] },
  ],
  [
    'a coin for an instant refund',
    { key: relay, purpose: purposeOf('instant-refund', paid), operation: 'walletInput', args: [withFeeInput(49_000n), 1, 50_000n] },
  ],
  [
    'a fill',
    {
      key: own,
      purpose: purposeOf('fill', paid),
      operation: 'fill',
      args: [paid, 'order', { deposits: ['first'], blockHash: 'ab', destinationAmount: 5n }],
    },
  ],
  [
    'a consent to an instant refund',
    { key: own, purpose: purposeOf('instant-refund', paid), operation: 'signRefunds', args: [regtest, paid, [refund]] },
  ],
  [
    'an answer for an instant refund',
    {
      key: own,
      purpose: purposeOf('instant-refund', paid),
      operation: 'answerRefund',
      args: [regtest, paid, [refund], JSON.stringify([nonce])],
    },
  ],
  [
    'the nonces of an instant refund',
    {
      key: user,
      purpose: purposeOf('instant-refund', paid, userAddress),
      operation: 'beginRefund',
      isOrderKey: true,
      args: [regtest, paid, [refund]],
    },
  ],
  [
    'an instant refund',
    {
      key: user,
      purpose: purposeOf('instant-refund', paid, userAddress),
      operation: 'finishRefund',
      isOrderKey: true,
      args: [regtest, paid, [refund], answer],
    },
  ],
  [
    'a draft of a cosigned redeem',
    {
      key: own,
      purpose: several('cosigned-redeem'),
      operation: 'draft',
      args: [regtest, items.map((item, index) => ({ ...item, offer: offers[index] })), 2_000n],
    },
  ],
  [
    'the nonces of a cosigned redeem',
    { key: user, purpose: several('cosigned-redeem'), operation: 'beginCosigning', isOrderKey: true, args: [regtest, items] },
  ],
  [
    'a cosigned redeem',
    { key: user, purpose: several('cosigned-redeem'), operation: 'finishCosigning', isOrderKey: true, args: [regtest, items, draft] },
  ],
]
const allowed = (what: string): Ask => {
  const found = ALLOWED.find(([name]) => name === what)
  if (found === undefined) throw new Error(`"${what}" is not in the list`)
  return found[1]
}
const refused = (ask: Ask, why?: string) => {
  expect(() => permit(ask), why).toThrow()
}

test.each(ALLOWED)('may be %s', (_, ask) => {
  expect(() => permit(ask)).not.toThrow()
})

describe('may not be', () => {
  test.each(ALLOWED)('%s on another chain, or of another asset', (_, ask) => {
    refused({ ...ask, purpose: { ...ask.purpose, chain: 'litecoin_regtest' } })
    expect(() => createPermit(chainOf('litecoin:regtest'), networkOf('litecoin:regtest'))(ask)).toThrow(SigningRefused)
    const { purpose } = ask
    if (purpose.kind === 'withdraw') return refused({ ...ask, purpose: { ...purpose, asset: 'bitcoin_regtest:other' } })
    refused({ ...ask, purpose: withTerms(purpose as OrderPurpose, { asset: 'bitcoin_regtest:other' }) })
  })

  test.each(ALLOWED)('%s with the key of another', (_, ask) => {
    refused({ ...ask, key: thief })
  })

  test.each(ALLOWED)('%s for a purpose without an order', (_, ask) => {
    refused({ ...ask, purpose: { kind: 'deploy', chain: chain.id, asset: null } })
    refused({ ...ask, purpose: { kind: 'claim', chain: chain.id, asset: chain.nativeAsset, recipient: userAddress, total: 1n } })
    if (ask.purpose.kind !== 'withdraw' && !isToSelf(ask)) refused({ ...ask, purpose: withdrawal }, 'withdraw')
  })

  test.each(ALLOWED)('%s for its own verb only', (_, ask) => {
    const { purpose } = ask
    if (purpose.kind !== 'order') return
    const verb = purpose.actions[0].verb
    for (const other of VERBS.filter((one) => one !== verb)) {
      if (!isHarmless(ask, other)) refused({ ...ask, purpose: withVerb(purpose, other) }, other)
    }
    const [first, ...more] = purpose.actions
    refused({ ...ask, purpose: { ...purpose, actions: [first, ...more, { ...first, verb: verb === 'fill' ? 'redeem' : 'fill' }] } })
  })

  test.each(ALLOWED)('%s for orders with other terms', (_, ask) => {
    const { purpose } = ask
    if (purpose.kind !== 'order' || isToSelf(ask) || ask.operation === 'walletInput') return
    for (const change of [
      { timelock: 21n },
      { secretHash: 'ab'.repeat(32) },
      { initiator: identityOf(thief) },
      { redeemer: identityOf(thief) },
    ])
      refused({ ...ask, purpose: withTerms(purpose, change) }, JSON.stringify(Object.keys(change)))
  })

  test.each(ALLOWED)('%s of one operation with the arguments of another', (what, ask) => {
    for (const [name, { operation }] of ALLOWED)
      if (operation !== ask.operation && !ALIKE.includes(`${operation} ${ask.operation}`))
        refused({ ...ask, operation }, `${what} as ${name}`)
  })

  test.each(ALLOWED.filter(([, { args }]) => args[0] === regtest))('%s for another network', (_, ask) => {
    for (const other of [networkOf('bitcoin:mainnet'), { ...regtest, maxFeeRate: regtest.maxFeeRate * 2n }, { ...regtest, extra: 1 }])
      refused({ ...ask, args: [other, ...ask.args.slice(1)] })
  })

  test.each(['', 'toString', 'constructor', 'digest', 'sign'])('anything else: "%s"', (operation) => {
    expect(() => permit({ ...allowed('a redeem'), operation })).toThrow('no rule')
  })
})

const VERBS: readonly SignedVerb[] = [
  'initiate',
  'redeem',
  'refund',
  'reclaim',
  'close',
  'relay',
  'cancel',
  'fill',
  'instant-refund',
  'cosigned-redeem',
]
/** These have transactions that a child of our own may pay for. It costs nothing but a fee. */
const TO_SELF: readonly SignedVerb[] = ['initiate', 'redeem', 'refund', 'instant-refund', 'cancel']
/** A coin for the fee of a redeem has the form of one for an instant refund: it costs a fee in both, and the outputs beside the change are paid by others. */
function isHarmless(ask: Ask, other: SignedVerb): boolean {
  return (isToSelf(ask) && TO_SELF.includes(other)) || (ask.operation === 'walletInput' && other === 'instant-refund')
}

/** These pairs ask for the same of the same party. */
const ALIKE: readonly string[] = [
  'signRefunds answerRefund',
  'answerRefund signRefunds',
  'beginRefund finishRefund',
  'finishRefund beginRefund',
  'beginCosigning finishCosigning',
]

function isToSelf({ key, operation, args }: Ask): boolean {
  if (operation !== 'walletPayment') return false
  return (args[1] as readonly TransactionOutput[]).every(({ script }) => bytesToHex(script) === bytesToHex(walletOf(key)))
}

function withVerb(purpose: OrderPurpose, verb: SignedVerb): OrderPurpose {
  const [first, ...more] = purpose.actions
  return { ...purpose, actions: [{ ...first, verb }, ...more.map((action) => ({ ...action, verb }))] }
}

function withTerms(purpose: OrderPurpose, change: Partial<HtlcTerms>): OrderPurpose {
  const [first, ...more] = purpose.actions
  const changed = (action: OrderAction) => ({ ...action, terms: { ...action.terms, ...change } })
  return { ...purpose, actions: [changed(first), ...more.map(changed)] }
}

const otherScript = fc.constantFrom(
  walletOf(thief),
  htlcOf({ ...paying, timelock: 21n }, regtest).script,
  new Uint8Array([0x6a]),
  new Uint8Array(),
)

describe('a payment from the wallet', () => {
  const pay = (what: string, coins: readonly SpendableCoin[], outputs: readonly TransactionOutput[]): Ask => ({
    ...allowed(what),
    args: [coins, outputs],
  })

  test.each(['a lock with change', 'a lock without change', 'a cancellation', 'a child that pays for a lock', 'a withdrawal'])(
    '%s pays nobody else, no other amount, and no more than a fee',
    (what) => {
      const [coins, outputs] = allowed(what).args as [readonly SpendableCoin[], readonly TransactionOutput[]]
      const index = fc.nat(outputs.length - 1)
      const isPaid = (at: number) => (outputs.length > 1 || what === 'a lock without change' ? at === 0 : false)
      const changed = fc.oneof(
        fc.tuple(index, otherScript).map(([at, script]) => outputs.map((one, i) => (i === at ? { ...one, script } : one))),
        otherScript.map((script) => [...outputs, output(1n, script)]),
        fc
          .tuple(index, fc.bigInt({ min: 1n, max: 10n ** 9n }))
          .map(([at, more]) => outputs.map((one, i) => (i === at && isPaid(i) ? { ...one, amount: one.amount + more } : one))),
        fc
          .tuple(index, fc.bigInt({ min: 1n, max: 4_999n }))
          .map(([at, less]) => outputs.map((one, i) => (i === at && isPaid(i) ? { ...one, amount: one.amount - less } : one))),
        fc.constant([...outputs, output(0n, walletOf(own)), output(0n, walletOf(own))]),
        fc.constant([]),
      )
      fc.assert(
        fc.property(changed, (other) => {
          fc.pre(JSON.stringify(other, text) !== JSON.stringify(outputs, text))
          expect(() => permit(pay(what, coins, other))).toThrow(SigningRefused)
        }),
        { numRuns: 200 },
      )
    },
  )

  test('pays a fee within its cap, out of coins that are there', () => {
    const locks = (fee: bigint) => pay('a lock without change', [coin(1_000_000n + fee)], [lock])
    expect(() => permit(locks(109_000n))).not.toThrow()
    expect(() => permit(locks(1_000_000n))).toThrow('would pay a fee of 1000000')
    expect(() => permit(locks(-1n))).toThrow('would pay a fee of -1')
    const cancels = (fee: bigint) =>
      pay('a cancellation', [coin(10n ** 9n), coin(10n ** 9n, 1)], [output(2n * 10n ** 9n - fee, walletOf(own))])
    expect(() => permit(cancels(170_000n))).not.toThrow()
    expect(() => permit(cancels(200_000n))).toThrow('would pay a fee of 200000')
    const child = (fee: bigint) => pay('a child that pays for a lock', [coin(10n ** 9n)], [output(10n ** 9n - fee, walletOf(own))])
    expect(() => permit(child(20_000_000n))).not.toThrow()
    expect(() => permit(child(20_000_001n))).toThrow('would pay a fee of 20000001')
    expect(() => permit(pay('a lock with change', [], [lock]))).toThrow(SigningRefused)
  })

  test('does not lock what another is to get back, or for several orders', () => {
    const { args, ...ask } = allowed('a lock without change')
    const foreign = { ...paying, initiator: identityOf(thief) }
    const outputs = [output(foreign.amount, htlcOf(foreign, regtest).script)]
    expect(() => permit({ ...ask, purpose: purposeOf('initiate', foreign), args: [args[0], outputs] })).toThrow('only the initiator')
    const twice: OrderPurpose = { kind: 'order', chain: chain.id, actions: [actionOf('initiate', paying), actionOf('initiate', paying)] }
    expect(() => permit({ ...ask, purpose: twice, args })).toThrow('one order')
  })
})

describe('a spend of deposits', () => {
  const SPENDS = ['a redeem', 'a redeem of a batch', 'a refund', 'a payout', "a user's refund"] as const
  type Args = readonly [inputs: readonly LeafInput[], output: TransactionOutput]

  test.each(SPENDS)('%s pays nobody else and no more than a fee', (what) => {
    const ask = allowed(what)
    const [inputs, to] = ask.args as unknown as Args
    const total = inputs.reduce((sum, { amount }) => sum + amount, 0n)
    const other = fc.oneof(
      otherScript.map((script) => ({ ...to, script })),
      fc.bigInt({ min: total + 1n, max: total * 9n }).map((amount) => ({ ...to, amount })),
      fc.bigInt({ min: 0n, max: total / 2n - 1n }).map((amount) => ({ ...to, amount })),
    )
    fc.assert(
      fc.property(other, (changed) => {
        expect(() => permit({ ...ask, args: [inputs, changed] })).toThrow(SigningRefused)
      }),
    )
  })

  test.each(SPENDS)('%s spends only deposits of its orders, by the right leaf', (what) => {
    const ask = allowed(what)
    const [inputs, to] = ask.args as unknown as Args
    const htlc = htlcOf(paid, regtest)
    const foreign = htlcOf({ ...paid, timelock: 21n }, regtest)
    const flip = (bytes: Uint8Array) => fc.nat(bytes.length - 1).map((at) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)))
    const [input] = inputs as [LeafInput]
    const change: fc.Arbitrary<Partial<LeafInput>> = fc.oneof(
      flip(input.script).map((script) => ({ script })),
      flip(input.leaf.script).map((script) => ({ leaf: { ...input.leaf, script } })),
      flip(input.leaf.controlBlock).map((controlBlock) => ({ leaf: { ...input.leaf, controlBlock } })),
      fc.constantFrom<Partial<LeafInput>>(
        { script: foreign.script },
        { leaf: htlc.instantRefund },
        { leaf: foreign.redeem },
        { timelock: 0n },
        { timelock: input.timelock === null ? paid.timelock : null },
        { items: [...input.items, new Uint8Array(32)] },
        { items: input.items.length === 0 ? [hexToBytes(secret)] : [] },
        { items: [new Uint8Array(32)] },
      ),
    )
    fc.assert(
      fc.property(change, fc.nat(inputs.length - 1), (changed, at) => {
        const others = inputs.map((one, i) => (i === at ? { ...input, ...changed } : one))
        expect(() => permit({ ...ask, args: [others, to] })).toThrow(SigningRefused)
      }),
      { numRuns: 200 },
    )
    expect(() => permit({ ...ask, args: [[...inputs, redeemInput({ ...paid, timelock: 22n })], to] })).toThrow('not said to be')
    expect(() => permit({ ...ask, args: [[], to] })).toThrow('spends nothing')
  })

  test('our own key pays no address that somebody states, and the key of a user no other', () => {
    const own = allowed('a redeem')
    const [inputs] = own.args as unknown as Args
    const stated = { ...own, purpose: purposeOf('redeem', paid, userAddress) }
    expect(() => permit({ ...stated, args: [inputs, output(999_000n, userScript)] })).toThrow('our own key pays its own wallet')
    expect(() => permit(stated)).toThrow('our own key pays its own wallet')
    const payout = allowed('a payout')
    expect(() => permit({ ...payout, purpose: purposeOf('redeem', paying, addressOf(thief)) })).toThrow('somebody else')
    const { isOrderKey: _, ...withOwnKey } = payout
    expect(() => permit(withOwnKey)).toThrow('our own key pays its own wallet')
  })

  test('a payout with a sponsor pays the user, and gives the sponsor no more than its coin', () => {
    const ask = allowed('a payout with a sponsor')
    const [to, change] = payout as [TransactionOutput, TransactionOutput]
    const others: readonly (readonly [readonly unknown[], readonly TransactionOutput[]])[] = [
      [[sponsorCoin], [{ ...to, script: walletOf(thief) }, change]],
      [[sponsorCoin], [to, { ...change, script: walletOf(thief) }]],
      [[sponsorCoin], [to, { ...change, amount: 50_001n }]],
      [[sponsorCoin], [{ ...to, amount: 700_000n }, change]],
      [[sponsorCoin], [{ ...to, amount: 1_000_001n }, change]],
      [[sponsorCoin], [to, { ...change, amount: 60_000n }]],
      [[sponsorCoin], [to, change, change]],
      [[sponsorCoin], [to]],
      [
        [sponsorCoin, sponsorCoin],
        [to, change],
      ],
      [[], [to, change]],
    ]
    for (const [coins, outputs] of others)
      expect(() => permit({ ...ask, args: [[redeemInput(paying)], coins, outputs] })).toThrow(SigningRefused)
  })
})

describe('a coin for the fee of another', () => {
  const FEES = ['the coin of a sponsor', 'a coin for an instant refund'] as const

  test.each(FEES)('%s is not signed for with a byte of the transaction changed', (what) => {
    const ask = allowed(what)
    const [unsigned, ...more] = ask.args as [string, ...unknown[]]
    const length = unsigned.length / 2
    // The outpoints of the deposits and of the coin, and the amount and script of an instant refund, are what others sign or what the chain decides.
    const free = freeBytes(unsigned, what)
    fc.assert(
      fc.property(fc.nat(length - 1), fc.integer({ min: 0, max: 7 }), (at, bit) => {
        fc.pre(!free(at))
        const bytes = hexToBytes(unsigned)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        expect(() => permit({ ...ask, args: [bytesToHex(bytes), ...more] })).toThrow(SigningRefused)
      }),
      { numRuns: 400 },
    )
    for (const other of [unsigned.slice(2), `${unsigned}00`, unsigned.toUpperCase(), '', 'nonsense', unsigned.slice(0, -2)])
      expect(() => permit({ ...ask, args: [other, ...more] })).toThrow(SigningRefused)
  })

  test.each(FEES)('%s is the last input alone, and pays a fee alone', (what) => {
    const ask = allowed(what)
    const [unsigned] = ask.args as [string]
    const withArgs = (...args: readonly unknown[]): Ask => ({ ...ask, args: [unsigned, ...args] })
    expect(() => permit(withArgs(0, 50_000n))).toThrow('not the last one')
    expect(() => permit(withArgs(2, 50_000n))).toThrow('not the last one')
    expect(() => permit(withArgs(1, 48_999n))).toThrow('a fee of -1')
    expect(() => permit(withArgs(1, 1_000_000n))).toThrow('a fee of 951000')
  })

  test('has no output beside those of the purpose', () => {
    const beside = (outputs: readonly TransactionOutput[]): Ask => ({
      ...allowed('the coin of a sponsor'),
      args: [sponsored(outputs), 1, 50_000n],
    })
    const [to, change] = payout as [TransactionOutput, TransactionOutput]
    for (const outputs of [[to, to, change], [change], [change, to], [{ ...to, script: walletOf(thief) }, change]])
      expect(() => permit(beside(outputs))).toThrow(SigningRefused)
    const refunds = { ...allowed('a coin for an instant refund'), args: [withFeeInput(49_000n, [output(1n, walletOf(thief))]), 1, 50_000n] }
    expect(() => permit(refunds)).toThrow('each deposit')
  })
})

describe('what both parties sign', () => {
  test('an instant refund of the user pays where the order says, all but a fee', () => {
    for (const what of ['the nonces of an instant refund', 'an instant refund']) {
      const ask = allowed(what)
      const withRefund = (change: Partial<typeof refund>): Ask => ({
        ...ask,
        args: [regtest, paid, [refund, { ...refund, ...change }], answer],
      })
      expect(() => permit(withRefund({ deposit: outpoint('ab', 3) }))).not.toThrow()
      for (const change of [{ to: addressOf(thief) }, { pays: 1_000_001n }, { pays: 400_000n }, { pays: -1n }])
        expect(() => permit(withRefund(change)), what).toThrow(SigningRefused)
    }
    expect(() =>
      permit({ ...allowed('a consent to an instant refund'), args: [regtest, paid, [{ ...refund, pays: 1_000_001n }]] }),
    ).toThrow('more than its deposit')
  })

  test('a fill is of the order that is named', () => {
    const ask = allowed('a fill')
    expect(() => permit({ ...ask, args: [paid, 'another', ask.args[2]] })).toThrow('another order')
    expect(() => permit({ ...ask, args: [alsoPaid, 'order', ask.args[2]] })).toThrow('another order')
    expect(() => permit({ ...ask, args: [{ ...paid, amount: 5n }, 'order', ask.args[2]] })).toThrow('another order')
  })

  test('a cosigned redeem is of the orders that are named, and pays their redeemer alone', () => {
    const ask = allowed('a cosigned redeem')
    const read = JSON.parse(draft) as { transaction: string; inputs: unknown[] }
    const [ours] = [bytesToHex(walletOf(own))]
    const withDraft = (transaction: string): Ask => ({ ...ask, args: [regtest, items, JSON.stringify({ ...read, transaction })] })
    expect(read.transaction).toContain(ours)
    expect(() => permit(withDraft(read.transaction.replace(ours, bytesToHex(walletOf(thief)))))).toThrow('somebody else than the redeemer')
    expect(() => permit(withDraft(read.transaction.replace('ab'.repeat(32), 'ad'.repeat(32))))).toThrow('not a deposit')
    expect(() => permit(withDraft('00'))).toThrow('cannot be read')
    const dear = items.map((item) => ({ ...item, deposits: item.deposits.map((one) => ({ ...one, amount: one.amount * 2n })) }))
    expect(() => permit({ ...ask, args: [regtest, dear, draft] })).toThrow('would pay a fee')
    expect(() => permit({ ...ask, purpose: purposeOf('cosigned-redeem', paid) })).toThrow('another order')
    const [first, second] = items as [(typeof items)[0], (typeof items)[0]]
    const foreign = { ...second, terms: { ...alsoPaid, initiator: identityOf(thief), redeemer: identityOf(thief) } }
    expect(() => permit({ ...ask, args: [regtest, [first, foreign], draft] })).toThrow('several redeemers')
    expect(() => permit({ ...ask, args: [regtest, [], draft] })).toThrow('not in it')
    const { isOrderKey: _, ...withOwnKey } = ask
    expect(() => permit(withOwnKey)).toThrow('give away what we paid')
  })

  test('a draft is for orders that are named, at a sane fee rate', () => {
    const ask = allowed('a draft of a cosigned redeem')
    const [, drafts] = ask.args
    expect(() => permit({ ...ask, purpose: purposeOf('cosigned-redeem', paid) })).toThrow('another order')
    for (const rate of [-1n, 999n, 1_000_001n]) expect(() => permit({ ...ask, args: [regtest, drafts, rate] })).toThrow('fee rate')
  })
})

test('an operation asks before it signs', async () => {
  const asked: string[] = []
  const { purpose, args } = allowed('a redeem')
  const signer = {
    ...own,
    purpose,
    permit: (operation: string, given: readonly unknown[]) => void asked.push(`${operation} ${given.length}`),
  }
  await bitcoinSigning.sign('leafSpends', signer, ...(args as unknown as [readonly LeafInput[], TransactionOutput]))
  expect(asked).toEqual(['leafSpends 2'])
})

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value instanceof Uint8Array ? bytesToHex(value) : value
}

/** Version, marker, counts, sequences, scripts and lock time are fixed. */
function freeBytes(unsigned: string, what: string): (at: number) => boolean {
  const find = (part: string) => unsigned.indexOf(part) / 2
  const outpoints = [find('aa'.repeat(32)), find('cc'.repeat(32))]
  const [paidAt, changeAt] = [find(bytesToHex(userScript)), find(bytesToHex(walletOf(relay)))]
  const within = (at: number, from: number, length: number) => at >= from && at < from + length
  return (at) =>
    outpoints.some((from) => within(at, from, 36)) ||
    within(at, paidAt - 9, 8) ||
    // A smaller change within the cap of the fee costs no more than a fee.
    within(at, changeAt - 9, 8) ||
    (what === 'a coin for an instant refund' && within(at, paidAt - 1, 23))
}
