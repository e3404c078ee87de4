/** Tests that the published description of the HTLC matches its scripts. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Script } from '@scure/btc-signer'
import { keyAggExport, keyAggregate, sortKeys } from '@scure/btc-signer/musig2.js'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { expect, test } from 'vitest'
import { htlcOf } from '../htlc.ts'
import { networkOf } from '../networks.ts'
import { htlcSchema } from '../schemas.ts'

const terms: HtlcTerms = {
  asset: 'bitcoin_regtest:btc',
  initiator: '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  redeemer: 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
  amount: 1n,
  secretHash: 'ab'.repeat(32),
  timelock: 144n,
}

const TIMELOCK = '9000'

function disassemble(script: Uint8Array): string {
  return Script.decode(script)
    .map((part) => (part instanceof Uint8Array ? bytesToHex(part) : typeof part === 'number' ? String(part) : `OP_${part}`))
    .join(' ')
}

test('the description matches the scripts of the HTLC', () => {
  const { redeem, refund, instantRefund } = htlcOf(terms, networkOf('bitcoin:regtest'))
  const filled = htlcSchema.leaves.map(({ script }) =>
    script
      .replace('<secret_hash>', terms.secretHash)
      .replace('<redeemer>', terms.redeemer)
      .replace('<initiator>', terms.initiator)
      .replace('<timelock>', TIMELOCK)
      .replace('OP_SIZE 32', 'OP_SIZE 20'),
  )
  expect([redeem, refund, instantRefund].map(({ script }) => disassemble(script))).toEqual(filled)
  const depthOf = (controlBlock: Uint8Array) => (controlBlock.length - 33) / 32
  expect([redeem, refund, instantRefund].map(({ controlBlock }) => depthOf(controlBlock))).toEqual(
    htlcSchema.leaves.map(({ depth }) => depth),
  )
  const described = /KeyAgg\(KeySort\((.*?), (.*?)\)\)/.exec(htlcSchema.internal_key)?.slice(1) ?? []
  const keys = described.map((key) => hexToBytes(key.replace('<redeemer>', terms.redeemer).replace('<initiator>', terms.initiator)))
  expect(redeem.controlBlock.subarray(1, 33)).toEqual(keyAggExport(keyAggregate(sortKeys(keys))))
})
