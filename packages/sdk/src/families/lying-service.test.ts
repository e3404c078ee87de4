/** A service that lies in one field about an order, for the families with accounts, and with a key of the service in the user's place: each lie is caught, or listed here with the reason why it cannot hurt. */
import { bcs } from '@mysten/sui/bcs'
import { base64 } from '@scure/base'
import { type Address, type Blockhash, getAddressDecoder, getBase58Decoder, getTransactionDecoder } from '@solana/kit'
import { htlcOf } from '@tandem/bitcoin/terms/htlc.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { createRefundPackage } from '@tandem/bitcoin/terms/rescue/create-refund-package.ts'
import { identityOf } from '@tandem/bitcoin/terms/script/user-key.ts'
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { ContractState } from '@tandem/evm/server/contract-state.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { createContracts as evmContracts, swapIdOf as evmSwapId } from '@tandem/evm/terms/htlc.ts'
import { fundingOf as hypercoreFunding } from '@tandem/hypercore/terms/funding.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import { type CreateOrderResult, type Funding, fundingToWire } from '@tandem/protocol/funding/funding.ts'
import type { ToldOnce } from '@tandem/protocol/funding/way.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'
import type { SolanaPlan } from '@tandem/solana/browser/index.ts'
import { fundingOf as solanaFunding } from '@tandem/solana/terms/funding.ts'
import { createContracts as solanaContracts, swapIdOf as solanaSwapId } from '@tandem/solana/terms/htlc.ts'
import { parseMessage } from '@tandem/solana/terms/send/transaction.ts'
import type { StarknetPlan } from '@tandem/starknet/browser/index.ts'
import { fundingOf as starknetFunding } from '@tandem/starknet/terms/funding.ts'
import { createContracts as starknetContracts, swapIdOf as starknetSwapId } from '@tandem/starknet/terms/htlc.ts'
import { outsideExecutionOf, outsideTypedData } from '@tandem/starknet/terms/outside-execution.ts'
import type { SuiPlan } from '@tandem/sui/browser/index.ts'
import { fundingOf as suiFunding } from '@tandem/sui/server/index.ts'
import { createContracts as suiContracts, swapIdOf as suiSwapId } from '@tandem/sui/terms/htlc.ts'
import { fundingOf as tronFunding } from '@tandem/tron/server/funding.ts'
import type { WalletApi } from '@tandem/tron/server/nodes/wallet-api.ts'
import { fromEvmAddress } from '@tandem/tron/terms/address.ts'
import { evmTerms, tronContracts } from '@tandem/tron/terms/htlc.ts'
import { accountOf as xrplAccount } from '@tandem/xrpl/terms/address.ts'
import { fundingOf as xrplFunding, swapIdOf as xrplSwapId } from '@tandem/xrpl/terms/htlc.ts'
import { describe, expect, test } from 'vitest'
import { uncaughtLies } from '../verify/lying-service.fixture.ts'
import { type Deployments, type PinnedAsset, pinnedAsset } from '../verify/pinned.ts'
import { freshSwap, type Intent, verifyOrder } from '../verify/verify-order.ts'

const NOW = 1_800_000_000n
const AMOUNT = 50_000_000n
const ORDER = 'ab'.repeat(32)
const HASH = 'cd'.repeat(32)

/** A true order from an asset to the same asset: so both sides of its family are verified. */
type Case = {
  readonly asset: string
  readonly name?: string
  readonly deployments: Deployments
  readonly user: string
  readonly solver: string
  /** The service made this key, which is the user's party in the terms. */
  readonly delegate?: string
  readonly swapId: (pinned: PinnedAsset, terms: HtlcTerms) => string
  readonly fund: (pinned: PinnedAsset, request: FundingRequest) => Promise<Funding>
  readonly refundPackage?: (pinned: PinnedAsset, terms: HtlcTerms) => ToldOnce['refundPackage']
  /** Fields whose lie is not caught, and why it cannot hurt. */
  readonly harmless: Readonly<Record<string, string>>
}

const bytes = (value: number) => new Uint8Array(32).fill(value)
const evm = (digit: string) => `0x${digit.repeat(40)}` as const
const tron = (digit: string) => fromEvmAddress(evm(digit))
const wide = (digits: string) => `0x0${digits.repeat(31).padEnd(63, '1')}` as const
const sol = (value: number): Address => getAddressDecoder().decode(bytes(value))
const xrp = (digit: string) => xrplAccount(createEd25519Key(digit.repeat(64)))

const deployed = ({ asset, deployment }: PinnedAsset) => [{ ...asset, deployment }]
const gas = 'only a limit: wallets estimate the gas themselves'

const PAYOUT = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const SERVICE_KEY = '1'.repeat(64)

/** An allowance is left that must be reset first: all calls are named. */
const tronNode = { call: async () => `0x${'0'.repeat(64)}` } as unknown as EvmNode
const tronState = { allowance: async () => 5n } as unknown as ContractState
const tronApi = { energyPrice: async () => 100n } as unknown as WalletApi

const suiCoins = [8, 9].map((value) => ({
  id: wide(`${value}a`),
  version: BigInt(value),
  digest: getBase58Decoder().decode(bytes(value)),
  balance: AMOUNT - 1n,
}))
const SUI_PACKAGE = wide('7b')

const cases: readonly Case[] = [
  {
    asset: 'tron_localnet:usdt',
    deployments: { 'tron_localnet:usdt': { htlc: tron('1'), token: tron('2') } },
    user: tron('3'),
    solver: tron('4'),
    swapId: (pinned, terms) => evmSwapId(tronContracts(pinned.chain, deployed(pinned)).of(terms.asset), evmTerms(terms)),
    fund: (pinned, request) =>
      tronFunding(tronNode, tronApi, tronState, tronContracts(pinned.chain, deployed(pinned)).of(request.terms.asset), request),
    harmless: {
      'funding.revoke_transaction.gas_limit': gas,
      'funding.approval_transaction.gas_limit': 'a lower limit than the cap only makes the call fail',
      'funding.approval_reset_transaction': 'without it the approval fails, if a reset was needed',
      'funding.approval_reset_transaction.gas_limit': 'a lower limit than the cap only makes the call fail',
      'funding.initiate_transaction.gas_limit': 'a lower limit than the cap only makes the call fail',
    },
  },
  {
    asset: 'hypercore_localnet:purr',
    deployments: { 'hypercore_localnet:purr': { htlc: evm('1'), token: evm('2') } },
    user: evm('3'),
    solver: evm('4'),
    swapId: (pinned, terms) => evmSwapId(evmContracts(pinned.chain, deployed(pinned)).of(terms.asset), terms),
    fund: async (pinned, request) =>
      hypercoreFunding(evmContracts(pinned.chain, deployed(pinned)).of(request.terms.asset), 1n, 10n ** 14n, request),
    harmless: {
      'funding.core_to_evm_transfer.gas_limit': gas,
      'funding.initiate_transaction.gas_limit': gas,
      'funding.reclaim_transaction.gas_limit': gas,
      'funding.revoke_transaction.gas_limit': gas,
    },
  },
  {
    asset: 'starknet_localnet:wbtc',
    name: 'without an allowance',
    deployments: { 'starknet_localnet:wbtc': { htlc: wide('1a'), token: wide('2a') } },
    user: wide('3a'),
    solver: wide('4a'),
    swapId: (pinned, terms) => starknetSwapId(starknetContracts(pinned.chain, deployed(pinned)).of(terms.asset), terms),
    fund: (pinned, request) =>
      starknetFunding({ allowance: async () => 0n }, starknetContracts(pinned.chain, deployed(pinned)).of(request.terms.asset), request),
    harmless: {},
  },
  {
    asset: 'starknet_localnet:wbtc',
    name: 'with an allowance',
    deployments: { 'starknet_localnet:wbtc': { htlc: wide('1a'), token: wide('2a') } },
    user: wide('3a'),
    solver: wide('4a'),
    swapId: (pinned, terms) => starknetSwapId(starknetContracts(pinned.chain, deployed(pinned)).of(terms.asset), terms),
    fund: (pinned, request) =>
      starknetFunding(
        { allowance: async () => AMOUNT * 10n },
        starknetContracts(pinned.chain, deployed(pinned)).of(request.terms.asset),
        request,
      ),
    harmless: { 'funding.approval_transaction.calldata.*': 'an approval that is not required is never sent, so its amount does not count' },
  },
  {
    asset: 'starknet_localnet:wbtc',
    name: 'with an offer',
    deployments: { 'starknet_localnet:wbtc': { htlc: wide('1a'), token: wide('2a') } },
    user: wide('3a'),
    solver: wide('4a'),
    swapId: (pinned, terms) => starknetSwapId(starknetContracts(pinned.chain, deployed(pinned)).of(terms.asset), terms),
    async fund(pinned, request) {
      const contract = starknetContracts(pinned.chain, deployed(pinned)).of(request.terms.asset)
      const execution = outsideExecutionOf(contract, request.terms, wide('5a'), request.deadline)
      const typedData = outsideTypedData('outside-execution-v2', contract.chainId, execution)
      const funding = await starknetFunding({ allowance: async () => 0n }, contract, request)
      return { ...funding, offers: [{ offer: 'outside-execution-v2', typedData: [{ ...typedData }] }] }
    },
    harmless: {
      'funding.signature_offers': 'without an offer the user is asked for the approval',
      'funding.signature_offers.*': 'an offer that says nothing is passed over',
      'funding.signature_offers.*.offer': 'an offer without a name is passed over',
      'funding.signature_offers.*.typed_data.*.message.Caller': 'whichever account it is can only fund this order',
    },
  },
  {
    asset: 'solana_localnet:usdc',
    deployments: { 'solana_localnet:usdc': { htlc: sol(1), token: sol(2) } },
    user: sol(3),
    solver: sol(4),
    swapId: (pinned, terms) => solanaSwapId(solanaContracts(pinned.chain, deployed(pinned)).of(terms.asset), terms),
    fund: (pinned, request) =>
      solanaFunding(
        {
          latestBlockhash: async () => ({ blockhash: getBase58Decoder().decode(bytes(9)) as Blockhash, lastValidBlockHeight: 1n }),
          priorityFee: async () => 5_000n,
        },
        solanaContracts(pinned.chain, deployed(pinned)).of(request.terms.asset),
        sol(5),
        request,
      ),
    harmless: {},
  },
  {
    asset: 'sui_localnet:usdc',
    deployments: { 'sui_localnet:usdc': { htlc: wide('1a'), token: `${wide('2a')}::usdc::USDC`, package: SUI_PACKAGE } },
    user: wide('3a'),
    solver: wide('4a'),
    swapId: (pinned, terms) => suiSwapId(suiContracts(pinned.chain, deployed(pinned)).of(terms.asset), terms),
    fund: (pinned, request) =>
      suiFunding(
        { coins: async () => suiCoins },
        {
          ...suiContracts(pinned.chain, deployed(pinned)).of(request.terms.asset),
          packageId: SUI_PACKAGE,
          initialSharedVersion: '7',
        },
        request,
      ),
    harmless: {},
  },
  {
    asset: 'xrpl_localnet:xrp',
    deployments: {},
    user: xrp('1'),
    solver: xrp('2'),
    swapId: ({ chain }, terms) => xrplSwapId(chain.id, terms),
    fund: async (_, request) => xrplFunding(request),
    harmless: {},
  },
  {
    asset: 'bitcoin_regtest:btc',
    deployments: {},
    user: PAYOUT,
    solver: identityOf(createSecp256k1Key('2'.repeat(64))),
    delegate: identityOf(createSecp256k1Key(SERVICE_KEY)),
    swapId: ({ chain }, terms) => htlcOf(terms, networkOf(chain.reference)).address,
    fund: async ({ chain }, { terms }) => ({
      kind: 'deposit',
      to: htlcOf(terms, networkOf(chain.reference)).address,
      amount: terms.amount,
    }),
    refundPackage: ({ chain }, terms) => createRefundPackage(chain, terms, SERVICE_KEY, PAYOUT),
    harmless: { 'funding.order_token': 'the service itself checks it' },
  },
]

type Answers = {
  readonly funding: CreateOrderResult
  readonly source_swap: Partial<SwapRecord>
  readonly destination_swap: Partial<SwapRecord>
}

async function tell({ asset, deployments, user, solver, delegate, swapId, fund, refundPackage }: Case) {
  const pinned = await pinnedAsset(asset, deployments)
  const owners = { source: user, destination: user }
  const intent: Intent = {
    source: pinned,
    destination: pinned,
    sourceAmount: AMOUNT,
    minDestinationAmount: AMOUNT,
    minToAmount: null,
    request: {
      source: { asset, owner: owners.source, amount: String(AMOUNT) },
      destination: { asset, owner: owners.destination, amount: String(AMOUNT) },
    },
    secretHash: null,
  }
  const termsOf = (leg: Leg): HtlcTerms => {
    const [initiator, redeemer] = leg === 'source' ? [delegate ?? user, solver] : [solver, delegate ?? user]
    return { asset: pinned.asset.id, initiator, redeemer, amount: AMOUNT, secretHash: HASH, timelock: pinned.chain.timelocks[leg] }
  }
  const swap = (leg: Leg): SwapRecord => {
    const [initiator, redeemer] = leg === 'source' ? [user, solver] : [solver, user]
    const terms = termsOf(leg)
    return {
      ...freshSwap,
      created_at: new Date(Number(NOW) * 1000).toISOString(),
      swap_id: swapId(pinned, terms),
      ...(delegate !== undefined && { delegate }),
      chain: pinned.chain.id,
      asset,
      initiator,
      redeemer,
      timelock: Number(terms.timelock),
      asset_price: 1,
      amount: String(AMOUNT),
      secret_hash: HASH,
      required_confirmations: requiredConfirmations(pinned.chain, pinned.asset, AMOUNT, leg),
    }
  }
  const deadline = NOW + pinned.chain.fundingWindowSeconds
  const record: OrderRecord = {
    created_at: new Date(Number(NOW) * 1000).toISOString(),
    source_swap: swap('source'),
    destination_swap: swap('destination'),
    nonce: '1',
    order_id: ORDER,
    affiliate_fees: [],
    version: 'v3',
    solver_id: 'solver',
    integrator: 'app',
    deadline: Number(deadline),
    price_expires_at: Number(deadline),
    status: 'created',
    next_action: null,
  }
  const terms = termsOf('source')
  const once = refundPackage === undefined ? null : { orderToken: 'token', refundPackage: refundPackage(pinned, terms) }
  const funding = fundingToWire(ORDER, once, await fund(pinned, { terms, deadline, payer: null, approval: 'exact' }))
  const parts = ({ swap_id, initiator, redeemer }: SwapRecord) => ({
    swap_id,
    initiator,
    redeemer,
    ...(delegate !== undefined && { delegate }),
  })
  const told: Answers = { funding, source_swap: parts(record.source_swap), destination_swap: parts(record.destination_swap) }

  /** The other fields of the record are verified for all families alike. */
  async function verify(answers: Answers): Promise<unknown> {
    const swaps = {
      source_swap: { ...withoutParts(record.source_swap), ...answers.source_swap },
      destination_swap: { ...withoutParts(record.destination_swap), ...answers.destination_swap },
    } as unknown as OrderRecord
    return (await verifyOrder(intent, { funding: answers.funding, record: { ...record, ...swaps } }, NOW)).plan
  }
  return { told, verify }
}

function withoutParts({ swap_id: _, initiator: __, redeemer: ___, delegate: ____, ...others }: SwapRecord) {
  return others
}

const caseOf = (asset: string): Case => {
  const found = cases.find((one) => one.asset === asset)
  if (found === undefined) throw new Error(asset)
  return found
}

/** The plans that the SDK would follow if one byte were another; null where the lie is caught. */
async function plansWithOneByteChanged<Plan>(asset: string, change: (told: Answers, index: number) => Answers | null): Promise<Plan[]> {
  const { told, verify } = await tell(caseOf(asset))
  const plans: Plan[] = []
  for (let index = 0; ; index += 1) {
    const lie = change(structuredClone(told), index)
    if (lie === null) return plans
    await verify(lie).then(
      (plan) => plans.push(plan as Plan),
      (error: unknown) => expect(error).toBeInstanceOf(VerificationError),
    )
  }
}

describe('a lie about an order', () => {
  test.each(cases.map((one) => ({ name: '', ...one })))('on $asset $name is caught in every field', async (one) => {
    const { told, verify } = await tell(one)
    // The bytes of a transaction have a test of their own.
    const { ptb_bytes: ptb, ...funding } = told.funding as CreateOrderResult & { readonly ptb_bytes?: readonly number[] }
    const verifyWithBytes = (answers: Answers) =>
      verify({ ...answers, funding: { ...answers.funding, ...(ptb !== undefined && { ptb_bytes: ptb }) } as CreateOrderResult })
    expect(await uncaughtLies({ ...told, funding }, verifyWithBytes)).toEqual(Object.keys(one.harmless).toSorted())
  })

  test.each([
    ['without an allowance', ['approve', 'initiate'], null],
    ['with an allowance', ['initiate'], expect.objectContaining({ primaryType: 'Initiate' })],
  ])('on Starknet %s: the approval is sent only if it is required', async (name, calls, typedData) => {
    const found = cases.find((one) => one.name === name)
    if (found === undefined) throw new Error('there is no such case')
    const { told, verify } = await tell(found)
    const plan = (await verify(told)) as StarknetPlan
    expect(plan.calls.map(({ entryPoint }) => entryPoint)).toEqual(calls)
    expect(plan.typedData).toEqual(typedData)
  })

  test.each([
    ['too much', 10n ** 16n + 10n ** 10n],
    ['less than a unit of the chain', 10n ** 9n],
  ])('in the coin that a call takes along is caught: %s', async (_, value) => {
    const { told, verify } = await tell(caseOf('hypercore_localnet:purr'))
    const funding = told.funding as CreateOrderResult & { readonly initiate_transaction: object }
    const lie = { ...funding, initiate_transaction: { ...funding.initiate_transaction, value: `0x${value.toString(16)}` } }
    await expect(verify({ ...told, funding: lie as CreateOrderResult })).rejects.toThrow(/initiate_transaction\.value/)
  })

  test.each(['versioned_tx', 'versioned_tx_gasless'] as const)('in a byte of %s cannot change what it does', async (field) => {
    const instructionsOf = (wire: Uint8Array) => parseMessage(getTransactionDecoder().decode(wire).messageBytes).instructions
    const { told, verify } = await tell(caseOf('solana_localnet:usdc'))
    const name = field === 'versioned_tx' ? 'transaction' : 'gasless'
    const wire = (plan: SolanaPlan) => plan[name] ?? new Uint8Array()
    const truth = wire((await verify(told)) as SolanaPlan)
    const plans = await plansWithOneByteChanged<SolanaPlan>('solana_localnet:usdc', (answers, index) => {
      // Not every byte: each takes a derivation of the accounts.
      if (9 * index >= truth.length) return null
      const changed = truth.map((byte, at) => (at === 9 * index ? byte ^ 1 : byte))
      return { ...answers, funding: { ...answers.funding, [field]: base64.encode(changed) } as CreateOrderResult }
    })
    // 32 bytes of the blockhash, and the low bytes of the price; in a gasless one also those of the fee payer, where they stay an account.
    expect(plans.length).toBeGreaterThanOrEqual(3)
    for (const plan of plans) {
      const [ours, theirs] = [instructionsOf(wire(plan)), instructionsOf(truth)]
      const data = (all: typeof ours) => all.map((one) => ({ program: one.programAddress, data: one.data }))
      expect(data(ours)).toEqual(data(theirs))
      if (name === 'transaction') expect(ours).toEqual(theirs)
    }
  })

  test('in a byte of ptb_bytes cannot change what it does', async () => {
    const commandsOf = ({ kind }: SuiPlan) => {
      const { inputs = [], commands = [] } = bcs.TransactionKind.parse(kind).ProgrammableTransaction ?? {}
      return { commands, pure: inputs.map(({ Pure, Object: object }) => Pure ?? Object.keys(object ?? {})) }
    }
    const { told, verify } = await tell(caseOf('sui_localnet:usdc'))
    const truth = (await verify(told)) as SuiPlan
    const plans = await plansWithOneByteChanged<SuiPlan>('sui_localnet:usdc', (answers, index) => {
      if (index >= truth.kind.length) return null
      const ptb = [...truth.kind].map((byte, at) => (at === index ? byte ^ 1 : byte))
      return { ...answers, funding: { ...answers.funding, ptb_bytes: ptb } as CreateOrderResult }
    })
    // Id, version and digest of two coins, and the version since which the registry is shared.
    expect(plans).toHaveLength(2 * (32 + 8 + 32) + 8)
    for (const plan of plans) expect(commandsOf(plan)).toEqual(commandsOf(truth))
  })
})
