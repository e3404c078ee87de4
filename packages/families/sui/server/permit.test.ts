/** Tests that keys sign on Sui what their purpose says, and nothing that a thief of everything but the key would ask for. */
import { bcs } from '@mysten/sui/bcs'
import { Transaction } from '@mysten/sui/transactions'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import { type OrderPurpose, orderPurpose, type Purpose, type SignedVerb, type WithdrawPurpose } from '@tandem/keys/purpose.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { htlcPackage } from '../contract/artifacts/htlc.ts'
import { publicationKind, publishedPackage } from '../contract/client/package.ts'
import { type Address, accountOf, parseAddress } from '../terms/address.ts'
import { parseCoinType } from '../terms/coin-type.ts'
import { createContracts } from '../terms/htlc.ts'
import {
  initiateCallOf,
  instantRefundCallOf,
  redeemCallOf,
  refundCallOf,
  type SuiCall,
  transactionWith,
  transferCallOf,
} from '../terms/send/call.ts'
import { buildTransaction, type Frame } from '../terms/send/transaction.ts'
import { MAX_BUDGET, MAX_PRICE, SPLIT_BUDGET } from './fees/gas.ts'
import type { ObjectRef } from './nodes/node.ts'
import { createPermit } from './permit.ts'
import { LANES } from './send/coins.ts'
import { addLanes } from './send/lane.ts'

const found = localChains.find(({ id }) => id === 'sui_localnet')
if (found === undefined) throw new Error('there is no local Sui')
const chain = found
const address = (byte: string) => parseAddress(`0x${byte.repeat(32)}`)
const [SUI, USDC] = ['sui_localnet:sui', 'sui_localnet:usdc'] as const
const coinType = parseCoinType('0xc0::usdc::USDC')
const contracts = createContracts(
  chain,
  localAssets
    .filter((asset) => asset.chain === chain.id)
    .map((asset) => ({
      ...asset,
      deployment: asset.id === SUI ? { htlc: address('a1'), token: null } : { htlc: address('b1'), token: coinType },
    })),
)
const permit = createPermit(chain, contracts)

const key = createEd25519Key('42'.repeat(32))
const [own, user, thief] = [accountOf(key), address('c1'), address('d1')]
const [secret, otherSecret] = [createSecret(), createSecret()]

const ref = (byte: string): ObjectRef => ({ id: address(byte), version: 7n, digest: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' })
const frameOf = (sender: Address): Frame => ({ sender, price: 1_000n, budget: 10_000_000n, lastEpoch: 9n, payment: [ref('e1'), ref('e2')] })
const build = (tx: Transaction, frame: Partial<Frame> = {}) => buildTransaction(tx, { ...frameOf(own), ...frame })

const publication = await build(Transaction.fromKind(publicationKind()), { sender: user })
const deployedBy = (published: Uint8Array, asset: typeof SUI | typeof USDC) => ({
  ...contracts.of(asset),
  packageId: parseAddress(publishedPackage(published)),
  initialSharedVersion: '3',
})
const [sui, usdc] = [deployedBy(publication, SUI), deployedBy(publication, USDC)]

/** We are the initiator of what we pay, and the redeemer of what we are paid. */
const paying: HtlcTerms = {
  asset: USDC,
  initiator: own,
  redeemer: user,
  amount: 1_000n,
  timelock: 600_000n,
  secretHash: hashSecret(secret),
}
const payingSui: HtlcTerms = { ...paying, asset: SUI }
const paid: HtlcTerms = { ...paying, initiator: user, redeemer: own }
const DEADLINE = 1_790_000_000_000n
const consent = { publicKey: key.publicKey, signature: new Uint8Array(64).fill(0xab) }

const purposeOf = (verb: SignedVerb, terms: HtlcTerms, gas?: bigint): OrderPurpose =>
  orderPurpose(chain.id, { order: 'order', leg: 'source', verb, terms, ...(gas !== undefined && { gas }) })
const withdrawal = (asset: typeof SUI | typeof USDC): WithdrawPurpose => ({
  kind: 'withdraw',
  chain: chain.id,
  asset,
  recipient: user,
  amount: 5n,
})

type Form = { readonly coins?: readonly ObjectRef[]; readonly lanes?: number } & Partial<Frame>
function made(call: SuiCall, { coins = [], lanes = 0, ...frame }: Form = {}): Promise<Uint8Array> {
  const tx = transactionWith(call, coins)
  addLanes(tx, lanes, own)
  return build(tx, frame)
}
const ask = (purpose: Purpose, bytes: Uint8Array, shown: Uint8Array | null = publication, by = key) =>
  permit({ key: by, purpose, operation: 'transaction', args: [bytes, shown] })

const lockCall = (terms: HtlcTerms) => initiateCallOf(terms.asset === SUI ? sui : usdc, terms, DEADLINE)
const lock = (terms: HtlcTerms, form: Form = {}) => made(lockCall(terms), form)
const coins = [ref('f1'), ref('f2'), ref('f3')]
const giving = redeemCallOf(usdc, paying, secret, 9n)

const FORMS: readonly (readonly [what: string, purpose: OrderPurpose | WithdrawPurpose, call: SuiCall, form: Form])[] = [
  ['a lock of SUI', purposeOf('initiate', payingSui), lockCall(payingSui), {}],
  ['a lock of SUI, with coins for later', purposeOf('initiate', payingSui), lockCall(payingSui), { lanes: LANES }],
  ['a lock of a coin', purposeOf('initiate', paying), lockCall(paying), { coins: coins.slice(0, 1) }],
  ['a lock of several coins', purposeOf('initiate', paying), lockCall(paying), { coins, lanes: 2 }],
  ['a redeem', purposeOf('redeem', paid), redeemCallOf(usdc, paid, secret), {}],
  ['a redeem without gas', purposeOf('redeem', paying, 9n), redeemCallOf(usdc, paying, secret), { lanes: 1 }],
  ['a redeem with gas', purposeOf('redeem', paying, 9n), giving, {}],
  ['a redeem with gas, and coins for later', purposeOf('redeem', paying, 9n), giving, { lanes: 1 }],
  ['a refund', purposeOf('refund', paying), refundCallOf(usdc, paying), {}],
  ['an instant refund', purposeOf('instant-refund', paid), instantRefundCallOf(usdc, paid, consent), {}],
  ['a withdrawal of SUI', withdrawal(SUI), transferCallOf(sui.coinType, user, 5n), { lanes: 2 }],
  ['a withdrawal of a coin', withdrawal(USDC), transferCallOf(coinType, user, 5n), { coins }],
]
const ALLOWED = await Promise.all(
  FORMS.map(async ([what, purpose, call, form]) => {
    const highestBudget = MAX_BUDGET + BigInt(form.lanes ?? 0) * SPLIT_BUDGET
    return [what, purpose, await made(call, form), highestBudget] as const
  }),
)

type Parsed = ReturnType<typeof bcs.TransactionData.parse>['V1']
const parse = (bytes: Uint8Array): Parsed => bcs.TransactionData.parse(bytes).V1
const serialize = (data: Parsed) => bcs.TransactionData.serialize({ V1: data }).toBytes()
const programOf = ({ kind }: Parsed) => {
  if (kind.ProgrammableTransaction === undefined) throw new Error('expected commands')
  return kind.ProgrammableTransaction
}

/** A signature may be anything: the module decides. A deadline can only keep the transaction from being executed. */
const FREE = [
  bcs.U64.serialize(DEADLINE),
  bcs.byteVector().serialize(consent.publicKey),
  bcs.byteVector().serialize(consent.signature),
].map((pure) => pure.toBase64())

/**
 * The chain lets us name our own coins only, and refuses a registry by a wrong version. Price and budget have a cap. What is left are the text of the
 * sender, of all commands, and of all other inputs.
 */
function essence(data: Parsed, original: Parsed): string {
  const inputs = programOf(data).inputs.map((input, index) => {
    if (input.Object?.ImmOrOwnedObject != null) return 'a coin'
    if (input.Object?.SharedObject != null) return { ...input.Object.SharedObject, initialSharedVersion: '' }
    const before = programOf(original).inputs[index]?.Pure?.bytes
    const [was, is] = [before, input.Pure?.bytes].map((text) => Buffer.from(text ?? '', 'base64'))
    const isFree =
      before !== undefined && FREE.includes(before) && was?.length === is?.length && (was?.length === 8 || was?.[0] === is?.[0])
    return isFree ? 'free' : input
  })
  const { owner, payment } = data.gasData
  return JSON.stringify([data.sender, owner, payment.length > 0, data.expiration?.$kind, programOf(data).commands, inputs])
}

function isHarmless(original: Uint8Array, other: Uint8Array, highestBudget: bigint): boolean {
  try {
    const [data, before] = [parse(other), parse(original)]
    if (!Buffer.from(serialize(data)).equals(other) || essence(data, before) !== essence(before, before)) return false
    return BigInt(data.gasData.price) <= MAX_PRICE && BigInt(data.gasData.budget) <= highestBudget
  } catch {
    return false
  }
}

type Command = Parameters<typeof bcs.Command.serialize>[0]
const pure = (value: Address) => ({ Pure: { bytes: bcs.Address.serialize(value).toBase64() } })
/** Each uses the last input, which is the address of a thief. */
const THEFTS = (last: number): readonly Command[] => [
  { TransferObjects: { objects: [{ GasCoin: true }], address: { Input: last } } },
  { TransferObjects: { objects: [{ Input: 0 }], address: { Input: last } } },
  { MergeCoins: { destination: { GasCoin: true }, sources: [{ Input: 0 }] } },
  { SplitCoins: { coin: { GasCoin: true }, amounts: [] } },
  { MakeMoveVec: { type: null, elements: [] } },
  { MoveCall: { package: thief, module: 'htlc', function: 'redeem', typeArguments: [], arguments: [{ GasCoin: true }] } },
  { Publish: { modules: [], dependencies: [] } },
]

describe('a transaction', () => {
  test.each(ALLOWED)('may be %s', (_, purpose, bytes) => {
    expect(() => ask(purpose, bytes)).not.toThrow()
  })

  test.each(ALLOWED)('may not be %s with any byte of it changed, cut or added', (_, purpose, bytes, highestBudget) => {
    const changed = fc.oneof(
      fc
        .tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }))
        .map(([at, by]) => bytes.map((byte, i) => (i === at ? byte ^ by : byte))),
      fc.nat(bytes.length - 1).map((length) => bytes.slice(0, length)),
      fc.uint8Array({ minLength: 1, maxLength: 40 }).map((more) => Uint8Array.of(...bytes, ...more)),
    )
    fc.assert(
      fc.property(changed, (other) => {
        fc.pre(!isHarmless(bytes, other, highestBudget))
        expect(() => ask(purpose, other)).toThrow(SigningRefused)
      }),
      { numRuns: 80 },
    )
  })

  test.each(ALLOWED)('may not be %s with other commands, inputs or payers', (_, purpose, bytes, highestBudget) => {
    const data = parse(bytes)
    const { inputs, commands } = programOf(data)
    const withProgram = (program: ReturnType<typeof programOf>) =>
      serialize({ ...data, kind: { ...data.kind, ProgrammableTransaction: program } } as Parsed)
    const inserted = fc.tuple(fc.nat(commands.length), fc.nat(6)).map(([at, which]) => {
      const more = bcs.Command.parse(bcs.Command.serialize(THEFTS(inputs.length)[which] as Command).toBytes())
      const program = {
        inputs: [...inputs, pure(thief) as (typeof inputs)[number]],
        commands: [...commands.slice(0, at), more, ...commands.slice(at)],
      }
      return withProgram(program)
    })
    const changed = fc.oneof(
      inserted,
      fc.nat(commands.length - 1).map((at) => withProgram({ inputs, commands: commands.filter((_command, i) => i !== at) })),
      fc.nat(inputs.length - 1).map((at) => withProgram({ inputs: inputs.filter((_input, i) => i !== at), commands })),
      fc.nat(inputs.length - 1).map((at) => withProgram({ inputs: [...inputs, ...inputs.slice(at, at + 1)], commands })),
      fc.nat(inputs.length - 1).map((at) => withProgram({ inputs: inputs.with(at, pure(thief) as (typeof inputs)[number]), commands })),
      fc.constantFrom(
        serialize({ ...data, sender: thief }),
        serialize({ ...data, gasData: { ...data.gasData, owner: thief } }),
        serialize({ ...data, gasData: { ...data.gasData, payment: [] } }),
        serialize({ ...data, expiration: { $kind: 'None', None: true } }),
        serialize({ ...data, gasData: { ...data.gasData, price: `${MAX_PRICE + 1n}` } }),
        serialize({ ...data, gasData: { ...data.gasData, budget: `${highestBudget + 1n}` } }),
      ),
    )
    fc.assert(
      fc.property(changed, (other) => {
        fc.pre(!isHarmless(bytes, other, highestBudget))
        expect(() => ask(purpose, other)).toThrow(SigningRefused)
      }),
      { numRuns: 60 },
    )
  })

  test.each(ALLOWED)('may be %s at the highest fee', (_, purpose, bytes, highestBudget) => {
    const data = parse(bytes)
    const highest = { ...data, gasData: { ...data.gasData, price: `${MAX_PRICE}`, budget: `${highestBudget}` } }
    expect(() => ask(purpose, serialize(highest))).not.toThrow()
  })

  test.each(ALLOWED)('may not be %s by another key, on another chain, or for another kind of purpose', (_, purpose, bytes) => {
    expect(() => ask(purpose, bytes, publication, createEd25519Key('43'.repeat(32)))).toThrow(SigningRefused)
    expect(() => ask({ ...purpose, chain: 'sui' }, bytes)).toThrow('signs on sui_localnet')
    const others: readonly Purpose[] = [
      { kind: 'deploy', chain: chain.id, asset: USDC },
      { kind: 'rescue', chain: chain.id, terms: paying },
      { kind: 'claim', chain: chain.id, asset: USDC, recipient: user, total: 5n },
      { kind: 'fund', chain: chain.id, asset: USDC, contract: user, amount: 5n },
    ]
    for (const other of others) expect(() => ask(other, bytes), other.kind).toThrow('serves one order')
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
  test.each(ALLOWED)('may be %s for its own purpose only', (_, purpose, bytes) => {
    const verbs = VERBS.filter((verb) => purpose.kind !== 'order' || purpose.actions[0].verb !== verb)
    for (const verb of verbs)
      for (const terms of [paying, payingSui, paid]) expect(() => ask(purposeOf(verb, terms, 9n), bytes), verb).toThrow(SigningRefused)
    const withdrawals = [SUI, USDC]
      .map((asset) => withdrawal(asset as typeof SUI))
      .filter(({ asset }) => purpose.kind === 'order' || purpose.asset !== asset)
    for (const other of withdrawals) expect(() => ask(other, bytes)).toThrow(SigningRefused)
  })

  const twin = { ...usdc, registry: address('b2') }
  test.each<readonly [string, Purpose, Promise<Uint8Array>]>([
    ['a lock for another redeemer', purposeOf('initiate', payingSui), lock({ ...payingSui, redeemer: thief })],
    ['a lock whose refund goes to another', purposeOf('initiate', payingSui), lock({ ...payingSui, initiator: thief })],
    [
      'a lock of what another is to lock',
      purposeOf('initiate', { ...payingSui, initiator: thief }),
      lock({ ...payingSui, initiator: thief }),
    ],
    ['a lock of more', purposeOf('initiate', paying), lock({ ...paying, amount: 1_001n }, { coins })],
    ['a lock for longer', purposeOf('initiate', paying), lock({ ...paying, timelock: 600_001n }, { coins })],
    ['a lock by another secret', purposeOf('initiate', paying), lock({ ...paying, secretHash: hashSecret(otherSecret) }, { coins })],
    ['a lock of another asset', purposeOf('initiate', paying), lock(payingSui)],
    ['a lock of no coin', purposeOf('initiate', paying), lock(paying)],
    ['a lock in another registry', purposeOf('initiate', paying), made(initiateCallOf(twin, paying, DEADLINE), { coins })],
    ['a redeem that shows another secret', purposeOf('redeem', paid), made(redeemCallOf(usdc, paid, otherSecret))],
    ['a redeem of another order', purposeOf('redeem', paid), made(redeemCallOf(usdc, paying, secret))],
    ['a redeem with more gas', purposeOf('redeem', paying, 8n), made(redeemCallOf(usdc, paying, secret, 9n))],
    ['a redeem with gas that the order does not have', purposeOf('redeem', paying), made(redeemCallOf(usdc, paying, secret, 1n))],
    [
      'a redeem with gas for another',
      purposeOf('redeem', paid, 9n),
      made({ ...redeemCallOf(usdc, paid, secret, 9n), add: redeemCallOf(usdc, { ...paid, redeemer: thief }, secret, 9n).add }),
    ],
    ['a refund of another order', purposeOf('refund', paid), made(refundCallOf(usdc, paying))],
    ['a transfer of more', withdrawal(SUI), made(transferCallOf(sui.coinType, user, 6n))],
    ['a transfer to another', withdrawal(USDC), made(transferCallOf(coinType, thief, 5n), { coins })],
    ['a transfer of no coin', withdrawal(USDC), made(transferCallOf(coinType, user, 5n))],
    ['more coins for later than are needed', purposeOf('refund', paying), made(refundCallOf(usdc, paying), { lanes: LANES + 1 })],
  ])('may not be %s', async (_, purpose, making) => {
    const bytes = await making
    expect(() => ask(purpose, bytes)).toThrow(SigningRefused)
  })

  test('may not give coins for later to another', async () => {
    const tx = transactionWith(refundCallOf(usdc, paying), [])
    addLanes(tx, 2, thief)
    const bytes = await build(tx)
    expect(() => ask(purposeOf('refund', paying), bytes)).toThrow('something else')
  })

  test('serves one order', async () => {
    const purpose = purposeOf('redeem', paid)
    const bytes = await made(redeemCallOf(usdc, paid, secret))
    expect(() => ask({ ...purpose, actions: [...purpose.actions, ...purpose.actions] }, bytes)).toThrow('one order')
  })
})

describe('the package that is called', () => {
  const purpose = purposeOf('initiate', payingSui)
  const lockIn = (published: Uint8Array) => made(initiateCallOf(deployedBy(published, SUI), payingSui, DEADLINE))

  test('is ours by the transaction that published it, whoever sent that', async () => {
    const again = await build(Transaction.fromKind(publicationKind()), { sender: thief })
    const bytes = await lockIn(again)
    expect(() => ask(purpose, bytes, again)).not.toThrow()
    expect(() => ask(purpose, bytes)).toThrow('something else')
  })

  test('may not be one that is not shown, or that somebody could upgrade, or with other code', async () => {
    const bytes = await lockIn(publication)
    for (const shown of [null, new Uint8Array(), publication.slice(1), bytes]) expect(() => ask(purpose, bytes, shown)).toThrow('is ours')
    const { ProgrammableTransaction: program } = bcs.TransactionKind.parse(publicationKind())
    const kept = { TransferObjects: { objects: [{ Result: 0 }], address: { Input: 0 } } }
    const upgradeable = { inputs: [pure(thief)], commands: [...(program?.commands.slice(0, 1) ?? []), kept] }
    const code = Buffer.from(htlcPackage.module, 'base64')
    const modules = [Buffer.from(code.map((byte, i) => (i === 500 ? byte ^ 1 : byte))).toString('base64')]
    const other = {
      inputs: [],
      commands: [{ Publish: { modules, dependencies: [...htlcPackage.dependencies] } }, ...(program?.commands.slice(1) ?? [])],
    }
    for (const wrong of [upgradeable, other]) {
      const kind = bcs.TransactionKind.serialize({ ProgrammableTransaction: wrong } as Parameters<
        typeof bcs.TransactionKind.serialize
      >[0]).toBytes()
      const published = await build(Transaction.fromKind(kind), { sender: thief })
      const call = await lockIn(published)
      expect(() => ask(purpose, call, published)).toThrow('is ours')
    }
  })
})

describe('a consent to a refund', () => {
  const ask = (purpose: Purpose, terms: HtlcTerms, contract = contracts.of(USDC)) =>
    permit({ key, purpose, operation: 'refundConsent', args: [contract, terms] })

  test('is for the order of its purpose alone', () => {
    const purpose = purposeOf('instant-refund', paid)
    expect(() => ask(purpose, paid)).not.toThrow()
    expect(() => ask(purpose, { ...paid, amount: 77n })).toThrow('another order')
    expect(() => ask(purpose, paid, contracts.of(SUI))).toThrow('another order')
    for (const other of [
      purposeOf('redeem', paid),
      purposeOf('refund', paid),
      withdrawal(USDC),
      { ...purpose, actions: [...purpose.actions, ...purpose.actions] },
    ])
      expect(() => ask(other as Purpose, paid)).toThrow('it would be a consent')
    expect(() => ask({ ...purpose, chain: 'sui' }, paid)).toThrow('signs on')
  })
})

test.each(['', 'toString', 'constructor', 'message'])('nothing else is signed: "%s"', (operation) => {
  expect(() => permit({ key, purpose: purposeOf('redeem', paid), operation, args: [publication, publication] })).toThrow('no rule')
})
