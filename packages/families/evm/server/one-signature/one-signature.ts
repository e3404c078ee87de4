/** Initiates with one signature, or two, and no allowance for the HTLC: what is offered to whom, and whether what comes back is good. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { SignatureOffer } from '@tandem/protocol/funding/signature-offer.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Address, type Hex, hexToBigInt, numberToHex, size, slice } from 'viem'
import { canonicalTerms, type HtlcContract, initiateTypedData, initiateWithSignatureData } from '../../terms/htlc.ts'
import {
  authorizationData,
  authorizationOf,
  initiateByAuthorizationData,
  initiateByPermitData,
  initiateBySignatureTransferData,
  PERMIT2,
  permit2Data,
  permitData,
  permitOf,
  type SignatureWay,
  signatureWays,
  type TokenDomain,
  type TypedData,
} from '../../terms/one-signature.ts'
import type { ContractState } from '../contract-state.ts'
import type { EvmNode } from '../nodes/node.ts'
import { recoverSigner } from '../recover-signer.ts'
import type { Given } from './given-signature.ts'
import { createPausedWays, type PausedWays } from './paused-ways.ts'
import { digestOf } from './signable.ts'
import { permitNonce, type TokenAbilities, tryToken } from './token-trial.ts'

/** Tokens behind a proxy may learn or forget a standard. */
const ABILITIES_TTL_MS = 1_800_000
/** A node that fails says nothing about the token. It is not asked again for each order. */
const FAILED_TTL_MS = 10_000

export interface OneSignature extends Pick<PausedWays, 'follow' | 'settle' | 'refuse'> {
  /** The ways that the token was found to support, the best first. None for a native coin. */
  waysOf(contract: HtlcContract): Promise<readonly SignatureWay[]>
  /** The best one for this initiator. None if none works. */
  offersOf(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): Promise<readonly SignatureOffer[]>
  /** Each text that the given signatures must be over, with the signature. */
  signedTexts(contract: HtlcContract, terms: HtlcTerms, given: Given, deadline: bigint): Promise<readonly Signed[]>
  callData(contract: HtlcContract, terms: HtlcTerms, given: Given, deadline: bigint): Promise<Hex>
  /** The HTLC could take this amount from the initiator now, by what is given. */
  spendable(contract: HtlcContract, terms: HtlcTerms, way: Given['way']): Promise<{ readonly balance: bigint; readonly allowance: bigint }>
}

export type Signed = { readonly what: string; readonly digest: Hex; readonly signature: Hex }

type TokenContract = HtlcContract & { readonly token: Address }

export function createOneSignature(node: EvmNode, state: ContractState): OneSignature {
  const paused = createPausedWays(node)
  const known = new Map<Address, { readonly abilities: Promise<TokenAbilities>; readonly until: number }>()

  function abilitiesOf(contract: TokenContract): Promise<TokenAbilities> {
    const cached = known.get(contract.token)
    if (cached !== undefined && performance.now() < cached.until) return cached.abilities
    const abilities = tryToken(node, contract)
    known.set(contract.token, { abilities, until: performance.now() + ABILITIES_TTL_MS })
    abilities.catch(() => known.set(contract.token, { abilities, until: performance.now() + FAILED_TTL_MS }))
    return abilities
  }

  async function waysOf(contract: HtlcContract): Promise<readonly SignatureWay[]> {
    if (!hasToken(contract)) return []
    const abilities = await abilitiesOf(contract)
    return signatureWays.filter((way) => isAble(abilities, way) && !paused.isPaused(contract.token, way))
  }

  async function domainFor(contract: HtlcContract, way: 'authorization' | 'permit'): Promise<readonly [TokenContract, TokenDomain]> {
    const domain = hasToken(contract) ? (await abilitiesOf(contract))[way] : null
    if (domain === null || !hasToken(contract)) throw notSupported(way)
    return [contract, domain]
  }

  async function authorizing(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): Promise<TypedData> {
    const [{ chainId, token }, domain] = await domainFor(contract, 'authorization')
    return authorizationData(chainId, token, domain, authorizationOf(contract, terms, deadline))
  }

  async function permitting(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): Promise<TypedData> {
    const data = await nextPermit(contract, terms, deadline)
    if (data === null) throw notSupported('permit')
    return data
  }

  /** Null means that the token does not say how many permits it has seen. */
  async function nextPermit(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): Promise<TypedData | null> {
    const [{ chainId, token }, domain] = await domainFor(contract, 'permit')
    const nonce = await permitNonce(node, token, canonicalTerms(terms).initiator)
    return nonce === null ? null : permitData(chainId, token, domain, permitOf(contract, terms, nonce, deadline))
  }

  function transferring(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): TypedData {
    if (!hasToken(contract)) throw notSupported('permit2')
    return permit2Data(contract, contract.token, terms, deadline)
  }

  const termsText = (contract: HtlcContract, terms: HtlcTerms, signature: Hex): Signed => ({
    what: 'the typed_data of this order',
    digest: digestOf(initiateTypedData(contract, terms)),
    signature,
  })
  const offered = (what: string, data: TypedData, signature: Hex): Signed => ({
    what: `the ${what} of this order in signature_offers`,
    digest: digestOf(data),
    signature,
  })

  async function spendable(contract: HtlcContract, terms: HtlcTerms, way: Given['way']) {
    if (!hasToken(contract)) return { balance: 0n, allowance: 0n }
    const { initiator } = canonicalTerms(terms)
    const spender = way === 'permit2' ? PERMIT2 : contract.address
    const [balance, allowance] = await Promise.all([
      state.tokenBalance(contract.token, initiator),
      way === 'authorization' ? null : state.allowance(contract.token, initiator, spender),
    ])
    // A permit that is good sets the allowance, whatever it was: what a relay before it needs is gone then, and its own number is used by one of two.
    if (way === 'permit') return { balance, allowance: terms.amount }
    return { balance, allowance: allowance ?? balance }
  }

  async function bestOffer(contract: HtlcContract, terms: HtlcTerms, deadline: bigint): Promise<readonly SignatureOffer[]> {
    if (!hasToken(contract)) return []
    const { initiator } = canonicalTerms(terms)
    for (const way of await waysOf(contract)) {
      if (paused.isRefused(contract.token, way, initiator)) continue
      if (way === 'authorization') return [{ offer: way, typedData: [await authorizing(contract, terms, deadline)] }]
      if (way === 'permit') {
        const permit = await nextPermit(contract, terms, deadline)
        if (permit !== null) return [{ offer: way, typedData: [permit, initiateTypedData(contract, terms)] }]
      } else if ((await state.allowance(contract.token, initiator, PERMIT2)) >= terms.amount)
        return [{ offer: way, typedData: [transferring(contract, terms, deadline)] }]
    }
    return []
  }

  return {
    ...paused,
    waysOf,
    spendable,
    async offersOf(contract, terms, deadline) {
      try {
        return await bestOffer(contract, terms, deadline)
      } catch (error) {
        // An order needs no offer: its other instructions are complete.
        if (error instanceof ChainFailure) return []
        throw error
      }
    },
    async signedTexts(contract, terms, given, deadline) {
      const { signature } = given
      if (given.way === 'terms') return [termsText(contract, terms, signature)]
      if (given.way === 'permit2') return [offered(given.way, transferring(contract, terms, deadline), signature)]
      if (given.way !== 'permit') return [offered(given.way, await authorizing(contract, terms, deadline), signature)]
      const signed = termsText(contract, terms, signature)
      const isDone = (await state.htlc(contract, terms)) !== 'absent' || (await spendableByAllowance(contract, terms)) >= terms.amount
      // Somebody may have used the permit already. Then the allowance is there, until the order is initiated with it.
      return isDone ? [signed] : [offered(given.way, await permitting(contract, terms, deadline), given.permit), signed]
    },
    async callData(contract, terms, given, deadline) {
      const { signature } = given
      const { initiator } = canonicalTerms(terms)
      if (given.way === 'terms') return initiateWithSignatureData(terms, signature)
      if (given.way === 'permit2') {
        const digest = digestOf(transferring(contract, terms, deadline))
        return initiateBySignatureTransferData(terms, deadline, await keyForm(signature, digest, initiator))
      }
      if (given.way !== 'permit') {
        const digest = digestOf(await authorizing(contract, terms, deadline))
        return initiateByAuthorizationData(terms, deadline, await keyForm(signature, digest, initiator))
      }
      const digest = digestOf(await permitting(contract, terms, deadline))
      return initiateByPermitData(terms, deadline, { permit: await keyForm(given.permit, digest, initiator), terms: signature })
    },
  }

  async function spendableByAllowance(contract: HtlcContract, terms: HtlcTerms): Promise<bigint> {
    return hasToken(contract) ? state.allowance(contract.token, canonicalTerms(terms).initiator, contract.address) : 0n
  }
}

function hasToken(contract: HtlcContract): contract is TokenContract {
  return contract.token !== null
}

function isAble({ authorization, permit, permit2 }: TokenAbilities, way: SignatureWay): boolean {
  return { authorization: authorization !== null, permit: permit !== null, permit2 }[way]
}

function notSupported(way: SignatureWay): TandemError {
  return new TandemError(
    'bad_request',
    `the token does not support the offer ${way}: sign typed_data, or what GET /orders/{id}/funding offers`,
  )
}

/** Tokens and Permit2 take a key's signature as 65 bytes with 27 or 28 at the end, mostly in no other form. What is for an account's code stays as it is. */
async function keyForm(signature: Hex, digest: Hex, initiator: Address): Promise<Hex> {
  if ((await recoverSigner(digest, signature)) !== initiator) return signature
  if (size(signature) === 65) {
    const last = hexToBigInt(slice(signature, 64))
    return last >= 27n ? signature : `${slice(signature, 0, 64)}${numberToHex(last + 27n).slice(2)}`
  }
  const s = hexToBigInt(slice(signature, 32, 64))
  const parity = s >> 255n
  return `${slice(signature, 0, 32)}${numberToHex(s - (parity << 255n), { size: 32 }).slice(2)}${numberToHex(parity + 27n).slice(2)}`
}
