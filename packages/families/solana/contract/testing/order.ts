// Makes orders for tests, of both kinds, with every instruction ready to be sent or to be changed first.
import { createHash, randomBytes } from 'node:crypto'
import {
  type Address,
  getAddressDecoder,
  getAddressEncoder,
  type Instruction,
  isOffCurveAddress,
  type KeyPairSigner,
  lamports,
  type ReadonlyUint8Array,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { findAssociatedTokenPda, getCreateAssociatedTokenIdempotentInstruction, getTransferInstruction } from '@solana-program/token'
import { depositAddress, type OrderTerms, orderAddress, vaultAddress } from '../client/addresses.ts'
import { consentInstruction, consentMessage } from '../client/consent.ts'
import { decodeOrderAccount, type OrderAccount } from '../client/decode.ts'
import {
  closeOrder,
  type HtlcInstruction,
  initiateDepositedSol,
  initiateDepositedToken,
  initiateSol,
  initiateToken,
  instantRefundSol,
  instantRefundToken,
  redeemSol,
  redeemToken,
  refundSol,
  refundToken,
  returnSol,
  returnTokens,
} from '../client/instructions.ts'
import { instructionsSysvar, tokenProgram } from '../client/programs.ts'
import { createSvm, keyOf, type Outcome, type Svm, signMessage } from './svm.ts'

export type Kind = 'SOL' | 'token'
export const kinds: readonly Kind[] = ['SOL', 'token']

export interface TestOrder {
  readonly terms: OrderTerms
  readonly secret: Uint8Array
  readonly address: Address
  /** An order of SOL has this address too, but never an account there. */
  readonly vault: Address
  readonly initiateBefore: bigint
  /** The deadline of the deposit is `initiateBefore`. */
  readonly deposit: Address
  /** An order of SOL has this address too, for the mint of the fixture. */
  readonly depositTokens: Address
}

/** What a test may choose of a return. */
interface ReturnChoice {
  readonly isSigned?: boolean
  readonly of?: 'SOL' | { readonly mint: Address; readonly tokenProgram?: Address; readonly tokens?: Address }
}

export type HtlcFixture = Awaited<ReturnType<typeof createHtlc>>

export const initiateWindow = 3_600n
const initialTokens = 1_000_000_000n

export async function createHtlc(kind: Kind, on: Promise<Svm> = createSvm()) {
  const chain = await on
  const { program, keys } = chain
  const mint = (await keyOf('mint')).address
  chain.putMint(mint)
  const tokenAccounts = new Map<Address, Address>()
  for (const { address } of Object.values(keys)) {
    const account = await associatedTokens(address, mint)
    chain.putTokens(account, mint, address, initialTokens)
    tokenAccounts.set(address, account)
  }
  const tokensOf = (party: Address): Address => tokenAccounts.get(party) ?? party
  const isSol = kind === 'SOL'
  const depositOf = (terms: OrderTerms, deadline: bigint) => {
    const { address: deposit } = depositAddress(program, terms, deadline)
    return { deposit, depositTokens: associatedTokensAt(deposit, terms.mint ?? mint) }
  }

  const fixture = {
    ...chain,
    kind,
    mint,
    tokensOf,
    /** The unit is that of the order: lamports or tokens. */
    funds: (party: Address): bigint => (isSol ? chain.balance(party) : chain.tokens(tokensOf(party))),
    payee: (party: Address): Address => (isSol ? party : tokensOf(party)),
    newOrder(terms: Partial<OrderTerms> = {}, initiateBefore = chain.clock().time + initiateWindow): TestOrder {
      const secret = Uint8Array.from(randomBytes(32))
      const all: OrderTerms = {
        initiator: keys.initiator.address,
        redeemer: keys.redeemer.address,
        secretHash: sha256(secret),
        amount: 5_000_000n,
        timelock: 100n,
        mint: isSol ? null : mint,
        ...terms,
      }
      const { address } = orderAddress(program, all)
      return { terms: all, secret, address, vault: vaultAddress(address), initiateBefore, ...depositOf(all, initiateBefore) }
    },
    initiate({ terms, initiateBefore }: TestOrder, funder = keys.funder.address, rentPayer = keys.rentPayer.address): HtlcInstruction {
      const { mint: ofMint } = terms
      const request = { funder, rentPayer, initiateBefore }
      return ofMint === null
        ? initiateSol(program, { ...terms, mint: null }, request)
        : initiateToken(program, { ...terms, mint: ofMint }, { ...request, funderTokens: tokensOf(funder) })
    },
    redeem({ address, terms, secret }: TestOrder): HtlcInstruction {
      const payTo = fixture.payee(terms.redeemer)
      return isSol ? redeemSol(program, address, payTo, secret) : redeemToken(program, address, payTo, secret)
    },
    refund({ address, terms }: TestOrder): HtlcInstruction {
      const payTo = fixture.payee(terms.initiator)
      return isSol ? refundSol(program, address, payTo) : refundToken(program, address, payTo)
    },
    instantRefund({ address, terms }: TestOrder, permission = terms.redeemer): HtlcInstruction {
      const payTo = fixture.payee(terms.initiator)
      return isSol ? instantRefundSol(program, address, payTo, permission) : instantRefundToken(program, address, payTo, permission)
    },
    /** It needs the consent before it. */
    consentedRefund: (order: TestOrder): HtlcInstruction => fixture.instantRefund(order, instructionsSysvar),
    consent(order: TestOrder, signer = order.terms.redeemer): Instruction {
      const initiation = fixture.state(order)
      if (initiation === null) throw new Error('an order that was never initiated has no slot')
      const message = consentMessage(order.address, initiation)
      return consentInstruction(signer, signMessage(signer, message), message)
    },
    close: ({ address }: TestOrder, rentPayer = keys.rentPayer.address): HtlcInstruction => closeOrder(program, address, rentPayer),
    /** Money comes by plain transfers. The token account exists once there are tokens. */
    async deposit({ deposit, depositTokens }: TestOrder, amount: bigint): Promise<void> {
      const { relayer } = keys
      if (isSol) {
        const pay = getTransferSolInstruction({ source: relayer, destination: deposit, amount: lamports(amount) })
        const { error } = await fixture.sendSigned([pay])
        if (error !== null) throw new Error(`deposit: ${error}`)
        return
      }
      const create = getCreateAssociatedTokenIdempotentInstruction({ payer: relayer, ata: depositTokens, owner: deposit, mint })
      const source = tokensOf(relayer.address)
      const pay = getTransferInstruction({ source, destination: depositTokens, authority: relayer, amount })
      const { error } = await fixture.sendSigned([create, pay])
      if (error !== null) throw new Error(`deposit: ${error}`)
    },
    /** The unit is that of the order. */
    deposited: ({ deposit, depositTokens }: TestOrder): bigint => (isSol ? chain.balance(deposit) : chain.tokens(depositTokens)),
    initiateDeposited({ terms, initiateBefore, depositTokens }: TestOrder, rentPayer = keys.rentPayer.address): HtlcInstruction {
      const { mint: ofMint } = terms
      const sweep = { rentPayer, deadline: initiateBefore }
      return ofMint === null
        ? initiateDepositedSol(program, { ...terms, mint: null }, sweep)
        : initiateDepositedToken(program, { ...terms, mint: ofMint }, { ...sweep, depositTokens })
    },
    returnDeposit({ terms, initiateBefore, deposit }: TestOrder, { isSigned = false, of }: ReturnChoice = {}): HtlcInstruction {
      const by = { deadline: initiateBefore, isSignedByInitiator: isSigned }
      const what = of ?? (isSol ? 'SOL' : { mint })
      if (what === 'SOL') return returnSol(program, terms, by)
      const ofMint = what.tokenProgram ?? tokenProgram
      const initiatorTokens = associatedTokensAt(terms.initiator, what.mint, ofMint)
      const tokens = what.tokens ?? associatedTokensAt(deposit, what.mint, ofMint)
      return returnTokens(program, terms, by, { tokens, initiatorTokens, mint: what.mint, tokenProgram: ofMint })
    },
    sendSigned(instructions: readonly Instruction[]): Promise<Outcome> {
      return chain.send(instructions, signersAmong(instructions, Object.values(keys)))
    },
    async open(terms: Partial<OrderTerms> = {}, initiateBefore?: bigint): Promise<TestOrder> {
      const order = fixture.newOrder(terms, initiateBefore)
      const { error } = await fixture.sendSigned([fixture.initiate(order)])
      if (error !== null) throw new Error(`initiate: ${error}`)
      return order
    },
    state({ address }: TestOrder): OrderAccount | null {
      const data = chain.data(address)
      return data === null || chain.owner(address) !== program ? null : decodeOrderAccount(data)
    },
    expire: (order: TestOrder): void => chain.moveTo({ slot: chain.clock().slot + order.terms.timelock }),
  }
  return fixture
}

export async function associatedTokens(owner: Address, mint: Address): Promise<Address> {
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
  return account
}

export function associatedTokensAt(owner: Address, mint: Address, ofMint = tokenProgram): Address {
  return associatedTokensWithBump(owner, mint, ofMint).address
}

/** It takes no web crypto, so it is synchronous. */
export function associatedTokensWithBump(
  owner: Address,
  mint: Address,
  ofMint = tokenProgram,
): { readonly address: Address; readonly bump: number } {
  const bytes = getAddressEncoder()
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256')
    for (const part of [owner, ofMint, mint]) hash.update(Uint8Array.from(bytes.encode(part)))
    hash.update(Uint8Array.of(bump)).update(Uint8Array.from(bytes.encode(associatedTokenProgram)))
    const address = getAddressDecoder().decode(hash.update('ProgramDerivedAddress').digest())
    if (isOffCurveAddress(address)) return { address, bump }
  }
  throw new Error('every bump gives an address with a key')
}

const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address

export function sha256(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(bytes).digest())
}

function signersAmong(instructions: readonly Instruction[], keys: readonly KeyPairSigner[]): readonly KeyPairSigner[] {
  const signing = instructions.flatMap(({ accounts = [] }) => accounts.filter(({ role }) => role >= 2).map(({ address }) => address))
  return keys.filter(({ address }) => signing.includes(address))
}

export function withAccount(instruction: HtlcInstruction, index: number, address: Address): HtlcInstruction {
  return { ...instruction, accounts: instruction.accounts.map((meta, i) => (i === index ? { ...meta, address } : meta)) }
}

export function withData(instruction: HtlcInstruction, data: ReadonlyUint8Array): HtlcInstruction {
  return { ...instruction, data }
}

export { keyOf }
