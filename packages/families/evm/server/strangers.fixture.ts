/** Strangers can initiate at an HTLC on an EVM chain in these ways: every sender, form of the call and form of the signature. */

import { type AgreedSwap, each, onlyWay, type StrangersWay, strangersWay } from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import fc from 'fast-check'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hashTypedData,
  hexToBigInt,
  numberToHex,
  parseSignature,
  size,
  slice,
  type TypedDataDefinition,
  toEventSelector,
  toHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { contractAccount } from '../contract/artifacts/contract-account.ts'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { testToken } from '../contract/artifacts/test-token.ts'
import { type HtlcContract, initiateData, initiateTypedData, initiateWithSignatureData } from '../terms/htlc.ts'
import type { EvmFixture } from './evm.fixture.ts'

type Transaction = { readonly to?: Address; readonly data: Hex; readonly value?: bigint }
type Call = { readonly to: Address; readonly data: Hex; readonly value: bigint }

/** A chain has a user, a stranger and a contract account, all of which own the asset and have let the HTLC take tokens. */
export interface EvmStrangers {
  readonly contract: HtlcContract
  /** One unit of the terms is this many units of the token. */
  readonly unit: bigint
  readonly user: Address
  readonly stranger: Address
  readonly account: Address
  send(from: Address, transaction: Transaction): Promise<void>
  readonly nextContract?: () => Promise<Address>
  /** The amount is in units of the terms. */
  mint(to: Address, amount: bigint): Promise<void>
  signTypedData(data: TypedDataDefinition): Promise<Hex>
  readonly forms: { ofTerms(terms: HtlcTerms): HtlcTerms; party(address: Address): string }
}

export const PLAIN_FORMS: EvmStrangers['forms'] = { ofTerms: (terms) => terms, party: (address) => address }

const bytes = (maxLength: number) => fc.uint8Array({ minLength: 1, maxLength }).map((values) => toHex(values))
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export function evmWays(strangers: EvmStrangers): readonly StrangersWay[] {
  const { contract, unit, user, stranger, account, send, nextContract, forms } = strangers
  const { address: htlc, token } = contract
  const worth = ({ amount }: HtlcTerms) => (token === null ? amount : 0n)
  const dataBy = (sender: Address, terms: HtlcTerms) => initiateData(forms.ofTerms(terms), sender)
  const callBy = (sender: Address, terms: HtlcTerms) => ({ to: htlc, data: dataBy(sender, terms), value: worth(terms) })
  const throughAccount = async ({ to, data, value }: Call) => {
    const execute = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [to, data] })
    await send(stranger, { to: account, data: execute, value })
  }
  /**
   * One transaction approves, and initiates with these terms one after the other: its sender is a contract that exists only while it is
   * made. A call that fails is ignored.
   */
  async function inConstructor(sender: Address, swaps: readonly HtlcTerms[]): Promise<void> {
    const total = swaps.reduce((sum, { amount }) => sum + amount, 0n)
    if (token !== null) await strangers.mint(sender, total)
    const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [htlc, total * unit] })
    const calls = [...(token === null ? [] : [{ to: token, data: approve, value: 0n }]), ...swaps.map((terms) => callBy(sender, terms))]
    await send(stranger, { data: constructorThatCalls(calls), value: calls.reduce((sum, { value }) => sum + value, 0n) })
  }

  const common: readonly StrangersWay[] = [
    strangersWay('with bytes after the call', {
      outcome: 'counts',
      choices: bytes(300),
      async initiate({ terms }, trailing) {
        const sent = callBy(user, terms)
        await send(user, { ...sent, data: concat([sent.data, trailing]) })
      },
    }),
    strangersWay('paid by another account', {
      outcome: 'counts',
      ...each('key', 'contract'),
      initiate: ({ terms }, payer) => (payer === 'key' ? send(stranger, callBy(stranger, terms)) : throughAccount(callBy(account, terms))),
    }),
    strangersWay('on behalf of the sender itself', {
      outcome: 'counts',
      choices: fc.constant(null),
      initiate: ({ terms }) => send(user, callBy(stranger, terms)),
    }),
    strangersWay('by a contract that is the initiator', {
      outcome: 'counts',
      ...each('for itself', 'on behalf'),
      agree: (terms) => ({ ...terms, initiator: forms.party(account) }),
      initiate: ({ terms }, form) =>
        form === 'for itself' ? throughAccount(callBy(account, terms)) : send(stranger, callBy(stranger, terms)),
    }),
    strangersWay('to a contract that is the redeemer', {
      outcome: 'counts',
      choices: fc.constant(null),
      agree: (terms) => ({ ...terms, redeemer: forms.party(account) }),
      initiate: ({ terms }) => send(user, callBy(user, terms)),
    }),
    strangersWay('with another value than the call takes', {
      outcome: 'never',
      ...each(-1n, 1n, 10n ** 9n),
      async initiate({ terms }, more) {
        const sent = callBy(user, terms)
        await send(user, { ...sent, value: token === null ? sent.value + more : 1n + more * more })
      },
    }),
    strangersWay('with an address of more than 20 bytes', {
      outcome: 'never',
      choices: bytes(12),
      async initiate({ terms }, high) {
        const sent = callBy(user, terms)
        if (hexToBigInt(high) === 0n) return
        await send(user, { ...sent, data: concat([slice(sent.data, 0, 4), high, slice(sent.data, 4 + size(high))]) })
      },
    }),
    onlyWay('for more than is paid', 'never', async ({ terms }) => {
      const less = { ...terms, amount: terms.amount - 1n }
      await send(user, { ...callBy(user, terms), value: worth(less), ...(token !== null && { data: dataBy(user, less) }) })
    }),
  ]
  const deployed = nextContract === undefined ? [] : deployedWays(nextContract)
  return [...common, ...deployed, ...(token === null ? [] : signedWays(strangers))]

  function deployedWays(next: () => Promise<Address>): readonly StrangersWay[] {
    return [
      strangersWay('in a constructor, among others and twice', {
        outcome: 'counts',
        choices: fc.record({ before: fc.nat(3), after: fc.nat(3), twice: fc.boolean() }),
        examples: [{ before: 1, after: 1, twice: true }],
        async initiate({ terms }, { before, after, twice }) {
          const other = (_: unknown, i: number) => ({ ...terms, amount: terms.amount + BigInt(i) + 1n })
          const others = Array.from({ length: before + after }, other)
          await inConstructor(await next(), [...others.slice(0, before), terms, ...(twice ? [terms] : []), ...others.slice(before)])
        },
      }),
      strangersWay('after coin was forced on the HTLC', {
        outcome: 'counts',
        choices: fc.bigInt(1n, 1000n),
        async initiate({ terms }, amount) {
          await send(stranger, { data: concat(['0x73', htlc, '0xff']), value: amount })
          await send(user, callBy(user, terms))
        },
      }),
    ]
  }
}

type BadSignature =
  | { readonly form: 'the other half of the curve' }
  | { readonly form: 'longer'; readonly by: Hex }
  | { readonly form: 'another v'; readonly v: number }

function signedWays({ contract, stranger, account, send, signTypedData, forms }: EvmStrangers): readonly StrangersWay[] {
  const typedDataOf = ({ terms }: AgreedSwap) => initiateTypedData(contract, forms.ofTerms(terms)) as unknown as TypedDataDefinition
  const relay = async (swap: AgreedSwap, signature: Hex) =>
    send(stranger, { to: contract.address, data: initiateWithSignatureData(forms.ofTerms(swap.terms), signature) })
  return [
    strangersWay('by a signature in each form', {
      outcome: 'counts',
      ...each('27 or 28', '0 or 1', 'EIP-2098'),
      async initiate(swap, form) {
        const { r, s, yParity } = parseSignature(await signTypedData(typedDataOf(swap)))
        const parity = BigInt(yParity)
        if (form === 'EIP-2098') return relay(swap, concat([r, numberToHex(hexToBigInt(s) | (parity << 255n), { size: 32 })]))
        return relay(swap, concat([r, s, numberToHex(form === '0 or 1' ? yParity : yParity + 27, { size: 1 })]))
      },
    }),
    strangersWay<BadSignature>('by a signature in no accepted form', {
      outcome: 'never',
      choices: fc.oneof(
        fc.record({ form: fc.constant('the other half of the curve' as const) }),
        fc.record({ form: fc.constant('longer' as const), by: bytes(64) }),
        fc.record({ form: fc.constant('another v' as const), v: fc.integer({ min: 2, max: 26 }) }),
      ),
      examples: [
        { form: 'the other half of the curve' },
        { form: 'longer', by: '0x00' },
        { form: 'another v', v: 2 },
        { form: 'another v', v: 3 },
      ],
      async initiate(swap, choice) {
        const signature = await signTypedData(typedDataOf(swap))
        const { r, s, yParity } = parseSignature(signature)
        switch (choice.form) {
          case 'the other half of the curve':
            return relay(swap, concat([r, numberToHex(CURVE_ORDER - hexToBigInt(s), { size: 32 }), numberToHex(28 - yParity)]))
          case 'longer':
            return relay(swap, concat([signature, choice.by]))
          case 'another v':
            return relay(swap, concat([r, s, numberToHex(choice.v, { size: 1 })]))
        }
      },
    }),
    strangersWay("by a contract's approval of any bytes", {
      outcome: 'counts',
      choices: bytes(100),
      agree: (terms) => ({ ...terms, initiator: forms.party(account) }),
      async initiate(swap, signature) {
        const args = [hashTypedData(typedDataOf(swap)), signature] as const
        await send(stranger, { to: account, data: encodeFunctionData({ abi: contractAccount.abi, functionName: 'approveDigest', args }) })
        await relay(swap, signature)
      },
    }),
  ]
}

const push = (value: number | bigint, bytes: number): Hex => concat([numberToHex(0x5f + bytes), numberToHex(value, { size: bytes })])
const PUSH0 = '0x5f'
const CALL_BYTES = 3 + 3 + 1 + 1 + (1 + 1 + 3 + 1 + 33 + 21 + 1 + 1) + 1

function constructorThatCalls(calls: readonly Call[]): Hex {
  let at = calls.length * CALL_BYTES + 1
  const code = calls.map(({ to, data, value }) => {
    const length = push(size(data), 2)
    const copy = concat([length, push(at, 2), PUSH0, '0x39'])
    at += size(data)
    return concat([copy, PUSH0, PUSH0, length, PUSH0, push(value, 32), '0x73', to, '0x5a', '0xf1', '0x50'])
  })
  return concat([...code, '0x00', ...calls.map(({ data }) => data)])
}

const COIN = 10n ** 20n
const TOKENS = 10n ** 15n

export async function openEvmStrangers(fixture: EvmFixture, contract: HtlcContract): Promise<EvmStrangers> {
  const { local, deployer, user } = fixture
  const key = privateKeyToAccount(generatePrivateKey())
  const stranger = { account: key, address: key.address.toLowerCase() as Address }
  const account = await fixture.deploy(contractAccount)
  const onToken = (functionName: 'mint' | 'approve', args: readonly [Address, bigint]) =>
    encodeFunctionData({ abi: testToken.abi, functionName, args })
  const mint = async (to: Address, amount: bigint) => {
    if (contract.token !== null) await deployer.send([{ to: contract.token, data: onToken('mint', [to, amount]) }])
  }
  const nonceOf = async (of: Address) => Number(await local.request({ method: 'eth_getTransactionCount', params: [of, 'pending'] }))
  const send = async (from: Address, transaction: Transaction) => {
    const { account: signer } = from === user.address ? user : stranger
    const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
    const nonce = await nonceOf(from)
    const raw = await signer.signTransaction({
      type: 'eip1559',
      chainId: contract.chainId,
      nonce,
      gas: 2_000_000n,
      ...fees,
      ...transaction,
    })
    await local.request({ method: 'eth_sendRawTransaction', params: [raw] })
  }
  await deployer.send([{ to: stranger.address, value: COIN }])
  if (contract.token !== null) {
    const approve = onToken('approve', [contract.address, TOKENS])
    const execute = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [contract.token, approve] })
    for (const owner of [user.address, stranger.address, account]) await mint(owner, TOKENS)
    for (const owner of [user.address, stranger.address]) await send(owner, { to: contract.token, data: approve })
    await send(stranger.address, { to: account, data: execute })
    await fixture.mine()
  }
  return {
    contract,
    unit: 1n,
    forms: PLAIN_FORMS,
    user: user.address,
    stranger: stranger.address,
    account,
    send,
    nextContract: async () => getContractAddress({ from: stranger.address, nonce: BigInt(await nonceOf(stranger.address)) }),
    mint,
    signTypedData: (data) => user.account.signTypedData(data),
  }
}

/**
 * The contract logs its calldata: the first two words as topics, the rest as data.
 * Its runtime is topics 1 and 0 by CALLDATALOAD, CALLDATACOPY of the rest to 0, LOG2.
 */
export const mimic = { contractName: 'Mimic', abi: [], bytecode: '0x60118060095f395ff36020355f35604036038060405f375fa200' } as const

export function mimickedData(swapId: string, { initiator, redeemer, timelock, amount, secretHash }: HtlcTerms): Hex {
  const initiated = htlcErc20.abi.find((item) => item.type === 'event' && item.name === 'Initiated')
  if (initiated?.type !== 'event') throw new Error('the ABI has no event Initiated')
  const types = ['address', 'address', 'uint256', 'uint256', 'bytes32'].map((type) => ({ type }))
  const values = [initiator, redeemer, timelock, amount, `0x${secretHash}`]
  return concat([toEventSelector(initiated), `0x${swapId}`, encodeAbiParameters(types, values)])
}
