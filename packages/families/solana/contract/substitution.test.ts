// This test replaces every account of every instruction by every account that an attacker could name. All parties sign everything.
import { AccountRole, type Address } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token'
import { describe, expect, it } from 'vitest'
import { instructionsSysvar, systemProgram, tokenProgram } from './client/programs.ts'
import { programInterfaces } from './interface.ts'
import { createHtlc, type HtlcFixture, keyOf, kinds, type TestOrder, withAccount } from './testing/order.ts'
import { isOpen } from './testing/scenario.ts'

const interfaceOf = { SOL: programInterfaces.htlc, token: programInterfaces.htlc_spltoken } as const

describe.each(kinds)('of an order of %s, no account can be another one:', (kind) => {
  it.each(interfaceOf[kind].instructions.map(({ name, accounts }) => [name, accounts] as const))('%s', async (name, accounts) => {
    const htlc = await createHtlc(kind)
    const victim = await htlc.open()
    const other = await htlc.open({ initiator: htlc.keys.relayer.address, redeemer: htlc.keys.stranger.address, timelock: 1_000n })
    const settled = await htlc.open()
    await htlc.sendSigned([htlc.redeem(settled)])
    htlc.expire(victim)
    // The unchanged instruction must work, or its refusals would prove nothing.
    const build = buildersOf(htlc)[name as keyof ReturnType<typeof buildersOf>]
    const accepted: string[] = []
    for (const [index, { name: account }] of accounts.entries()) {
      for (const [label, substitute] of await substitutes(htlc, { victim, other, settled })) {
        const instruction = build(await targetOf(name, htlc, { victim, settled }))
        const original = instruction.accounts[index]
        if (original === undefined || original.address === substitute) continue
        const isProgram = substitute === htlc.program && original.role !== AccountRole.READONLY
        if (isProgram) continue
        const signable = Object.values(htlc.keys).some(({ address }) => address === substitute)
        // Nobody can sign for an address without a key.
        if (original.role >= AccountRole.READONLY_SIGNER && !signable) continue
        const { error } = await htlc.sendSigned([withAccount(instruction, index, substitute)])
        if (error === null) accepted.push(`${account} → ${label}`)
      }
    }
    expect(accepted).toEqual(whoElseMay[name]?.(kind) ?? [])
    isOpen(htlc, victim)
    isOpen(htlc, other)
    if (name === 'close') return
    expect((await htlc.sendSigned([build(await targetOf(name, htlc, { victim, settled }))])).error).toBeNull()
  })
})

const settlements = ['redeem', 'refund', 'instant_refund']

/** A new order each time, where the instruction may succeed. */
async function targetOf(
  name: string,
  htlc: HtlcFixture,
  { victim, settled }: Readonly<Record<'victim' | 'settled', TestOrder>>,
): Promise<TestOrder> {
  if (settlements.includes(name)) return victim
  if (name === 'close') return settled
  const order = htlc.newOrder({ amount: 1_000_000n })
  if (name === 'initiate') return order
  await htlc.deposit(order, order.terms.amount)
  const { relayer, stranger } = htlc.keys
  if (name === 'return_deposit' && htlc.kind === 'token')
    await htlc.sendSigned([getTransferSolInstruction({ source: relayer, destination: order.deposit, amount: 1_000_000n })])
  if (name === 'return_deposited_tokens' && htlc.kind === 'SOL') {
    const { deposit, depositTokens: ata } = order
    await htlc.sendSigned([getCreateAssociatedTokenIdempotentInstruction({ payer: stranger, ata, owner: deposit, mint: htlc.mint })])
  }
  return order
}

/** A deposit is locked or returned by anyone, and what it pays goes where its terms say. */
const whoElseMay: Readonly<Record<string, (kind: HtlcFixture['kind']) => readonly string[]>> = {
  initiate: whoElseMayPay,
  initiate_deposited: () => others('rent_payer', 'rentPayer'),
}

function others(account: string, usual: string): readonly string[] {
  return ['initiator', 'redeemer', 'funder', 'rentPayer', 'relayer', 'stranger']
    .filter((party) => party !== usual)
    .map((party) => `${account} → ${party}`)
}

/** Every signer may fund an order and pay its rent. With tokens, the funder must match the token account. */
function whoElseMayPay(kind: HtlcFixture['kind']): readonly string[] {
  return [...(kind === 'SOL' ? others('funder', 'funder') : []), ...others('rent_payer', 'rentPayer')]
}

function buildersOf(htlc: HtlcFixture) {
  return {
    initiate: (order: TestOrder) => htlc.initiate(order),
    redeem: htlc.redeem,
    refund: htlc.refund,
    instant_refund: htlc.instantRefund,
    close: (order: TestOrder) => {
      htlc.moveTo({ time: order.initiateBefore })
      return htlc.close(order)
    },
    initiate_deposited: (order: TestOrder) => htlc.initiateDeposited(order),
    return_deposit: (order: TestOrder) => htlc.returnDeposit(order, { isSigned: true, of: 'SOL' }),
    return_deposited_tokens: (order: TestOrder) => htlc.returnDeposit(order, { isSigned: true, of: { mint: htlc.mint } }),
  }
}

type Orders = Readonly<Record<'victim' | 'other' | 'settled', TestOrder>>

async function substitutes(htlc: HtlcFixture, orders: Orders): Promise<readonly (readonly [label: string, address: Address])[]> {
  const parties = Object.entries(htlc.keys).map(([party, { address }]) => [party, address] as const)
  const accounts = Object.entries(orders).flatMap(
    ([label, order]) =>
      [
        [`${label} order`, order.address],
        [`${label} vault`, order.vault],
      ] as const,
  )
  return [
    ...parties,
    ...parties.map(([party, address]) => [`tokens of ${party}`, htlc.tokensOf(address)] as const),
    ...accounts,
    ['mint', htlc.mint],
    ['nothing', (await keyOf('nothing')).address],
    ['our program', htlc.program],
    ['System program', systemProgram],
    ['Token program', tokenProgram],
    ['Token-2022', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address],
    ['clock', 'SysvarC1ock11111111111111111111111111111111' as Address],
    ['instructions', instructionsSysvar],
    ['rent', 'SysvarRent111111111111111111111111111111111' as Address],
  ]
}
