/**
 * The HTLC as a taproot output, a pure function of its terms.
 *
 *   internal key: unspendable (BIP341 NUMS point)      depth 1: redeem   (the common spend has the shortest proof)
 *                                                      depth 2: refund, instant refund (both parties together)
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Address, OutScript, p2tr, Script, ScriptNum, TAPROOT_UNSPENDABLE_KEY, TaprootControlBlock } from '@scure/btc-signer'
import { TandemError } from '../../protocol/error.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { parseXOnlyKey } from './address.ts'
import type { BitcoinNetwork } from './networks.ts'

/** BIP68: 16 bits of nSequence count blocks. */
const MAX_TIMELOCK = 0xffffn

export type Leaf = {
  readonly script: Uint8Array
  /** What proves that the leaf is part of the output (BIP341). */
  readonly controlBlock: Uint8Array
}

export type BitcoinHtlc = {
  readonly address: string
  readonly script: Uint8Array
  readonly redeem: Leaf
  readonly refund: Leaf
  readonly instantRefund: Leaf
}

export function htlcOf(terms: HtlcTerms, network: BitcoinNetwork): BitcoinHtlc {
  const leaves = leavesOf(terms)
  const { redeem, refund, instantRefund } = leaves
  const output = p2tr(
    TAPROOT_UNSPENDABLE_KEY,
    [{ script: redeem }, [{ script: refund }, { script: instantRefund }]],
    network,
    // The library knows no name for these scripts, which is no reason to refuse them.
    true,
  )
  const leafOf = (script: Uint8Array): Leaf => {
    // A leaf entry is the script followed by its leaf version byte.
    const entry = output.tapLeafScript?.find(([, bytes]) => bytesToHex(bytes.subarray(0, -1)) === bytesToHex(script))
    if (entry === undefined) throw new Error('a leaf is missing from its own tree')
    return { script, controlBlock: TaprootControlBlock.encode(entry[0]) }
  }
  return {
    address: Address(network).encode(OutScript.decode(output.script)),
    script: output.script,
    redeem: leafOf(redeem),
    refund: leafOf(refund),
    instantRefund: leafOf(instantRefund),
  }
}

/** The leaf that pays the redeemer. */
export function redeemScript(terms: HtlcTerms): Uint8Array {
  return leavesOf(terms).redeem
}

function leavesOf(terms: HtlcTerms) {
  const initiator = parseXOnlyKey(terms.initiator, 'initiator')
  const redeemer = parseXOnlyKey(terms.redeemer, 'redeemer')
  if (!/^[0-9a-f]{64}$/.test(terms.secretHash)) {
    throw new TandemError('bad_request', 'secretHash must be 32 bytes as lower-case hex')
  }
  const secretHash = hexToBytes(terms.secretHash)
  return {
    // The size check makes a secret that redeems here one that redeems on chains with 32-byte arguments too.
    redeem: Script.encode(['SIZE', scriptNumber(32n), 'EQUALVERIFY', 'SHA256', secretHash, 'EQUALVERIFY', redeemer, 'CHECKSIG']),
    refund: Script.encode([timelockNumber(terms.timelock), 'CHECKSEQUENCEVERIFY', 'DROP', initiator, 'CHECKSIG']),
    instantRefund: Script.encode([initiator, 'CHECKSIG', redeemer, 'CHECKSIGADD', 2, 'NUMEQUAL']),
  }
}

function timelockNumber(timelock: bigint): number | Uint8Array {
  if (timelock < 1n || timelock > MAX_TIMELOCK) {
    throw new TandemError('bad_request', `timelock must be 1 to ${MAX_TIMELOCK} blocks on Bitcoin, got ${timelock}`)
  }
  return scriptNumber(timelock)
}

/** BIP342 requires minimal pushes: OP_1 … OP_16 for small numbers, the shortest little-endian form for the rest. */
function scriptNumber(value: bigint): number | Uint8Array {
  return value <= 16n ? Number(value) : ScriptNum().encode(value)
}
