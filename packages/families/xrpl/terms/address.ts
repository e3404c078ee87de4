/**
 * Parses accounts and destination tags. The canonical form of an address is the classic one; with a tag it is the X-address, which names
 * both. An exchange credits a payment without its tag to nobody, so a tag is never dropped.
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { onCurve, type PublicKey } from '@tandem/keys/key.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { accountOfKey, encodeTagged, isAccount, parseTagged, type TaggedAccount } from './address-codec.ts'
import { basicForms } from './facts.ts'
import { isTestNetwork } from './network.ts'

export type Party = Pick<TaggedAccount, 'account' | 'tag'>

/** Nobody has their keys: see "Special Addresses" at xrpl.org. */
const BLACK_HOLES: ReadonlySet<string> = new Set([
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
  'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
])

export function parseAddress(chain: Pick<Chain, 'id' | 'reference'>, text: string): string {
  // A secret is not repeated in an error, which may be logged.
  if (/^s[1-9A-HJ-NP-Za-km-z]{25,34}$/.test(text))
    throw new TandemError('invalid_address', 'this looks like a secret seed, which must never leave its wallet: give the address, r…')
  const refuse = (why: string) => new TandemError('invalid_address', `"${text.slice(0, 90)}" is not an address of the XRP Ledger: ${why}`)
  const party = parseParty(chain, text, refuse)
  if (BLACK_HOLES.has(party.account)) throw refuse('nobody has its key, so money sent to it is lost')
  return party.tag === null ? party.account : encodeTagged({ ...party, isTest: isTestNetwork(chain) })
}

function parseParty(chain: Pick<Chain, 'id' | 'reference'>, text: string, refuse: (why: string) => TandemError): Party {
  if (/^r[1-9A-HJ-NP-Za-km-z]{24,34}$/.test(text)) {
    if (!isAccount(text)) throw refuse('its checksum is wrong: at least one character is mistyped')
    return { account: text, tag: null }
  }
  if (!/^[XT][1-9A-HJ-NP-Za-km-z]{46}$/.test(text)) throw refuse('expected r and 24 to 34 characters, or an X-address of 47')
  const tagged = parseTagged(text)
  if (tagged === null) throw refuse('its checksum is wrong: at least one character is mistyped')
  const isTest = isTestNetwork(chain)
  if (tagged.isTest !== isTest)
    throw refuse(`it is for ${tagged.isTest ? 'test networks' : 'the main network'}, and ${chain.id} is ${isTest ? 'one' : 'not'}`)
  return { account: tagged.account, tag: tagged.tag }
}

export const partyOf: (canonical: string) => Party = memoize(2000, (canonical) => {
  if (canonical.startsWith('r')) return { account: canonical, tag: null }
  const tagged = parseTagged(canonical)
  if (tagged === null) throw new Error(`"${canonical}" is not an address of the XRP Ledger`)
  return { account: tagged.account, tag: tagged.tag }
})

/** Ed25519 keys have this byte before them: see "Key Derivation" at xrpl.org. */
const ED25519_PREFIX = 'ED'

export function publicKeyHex(key: PublicKey): string {
  return `${ED25519_PREFIX}${bytesToHex(onCurve('ed25519', key).publicKey).toUpperCase()}`
}

const addressOfHex = memoize(100, (publicKey) => accountOfKey(hexToBytes(publicKey)))

export function accountOf(key: PublicKey): string {
  return addressOfHex(publicKeyHex(key))
}

/**
 * An initiator must be able to make the escrow itself, because nobody can make one for another account. The chain returns a cancelled
 * escrow to the account that made it, without a tag.
 */
export function assertInitiator(owner: string, payer: string | null): void {
  if (partyOf(owner).tag !== null)
    throw new TandemError(
      'invalid_address',
      `"${owner}" has a destination tag: a refund goes to the account alone, so the owner must be an account of your own`,
    )
  if (payer !== null && payer !== owner)
    throw new TandemError('bad_request', 'an escrow is paid by its owner: a delegate is not supported for initiations here')
}

/** Parses addresses, swap ids and transaction hashes of the XRP Ledger. */
export function textFormsOf(chain: Chain): TextForms {
  return {
    ...basicForms,
    parseAddress: (text) => parseAddress(chain, text),
    parseIdentity: (text) => parseAddress(chain, text),
    assertInitiator,
    parseTransactionId(text) {
      if (!/^[0-9a-f]{64}$/i.test(text))
        throw new TandemError('bad_request', `"${text.slice(0, 90)}" is not the hash of a transaction: expected 64 hex digits`)
      return text.toUpperCase()
    },
  }
}
