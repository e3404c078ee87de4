/** Tests which BIP322 proofs of an address are valid. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base64 } from '@scure/base'
import { describe, expect, test } from 'vitest'
import { networkOf } from '../../terms/networks.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { testWallet } from './bip322.fixture.ts'
import { toSign, toSpendId, verifyMessage } from './bip322.ts'

const mainnet = networkOf('bitcoin:mainnet')
const segwit = 'bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l'
const taproot = 'bc1p9cyuceaazr8cz46mvgkzl94wy397mwpqsrk84su37t72jvkg6wzqv52nfp'
const EMPTY =
  'AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI='
const HELLO =
  'AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI='
const BY_TAPROOT = 'AUBay6NwR4LEYedkTG+vE9F7C0RTOCB5NH6ZAqf+3hudjHIkOzSZk1jW/5Kt0wRKX3llJ25os+0qktdou4/Y8516'
const WRITTEN_OUT_BY = 'bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3'
const WRITTEN_OUT = 'AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ=='

const rejected = (address: string, message: string, proof: string, words: RegExp, network = mainnet) =>
  expect(() => verifyMessage(address, message, proof, network)).toThrow(
    expect.objectContaining({ code: 'invalid_signature', message: expect.stringMatching(words) }),
  )

test.each([
  [
    '',
    'c5680aa69bb8d860bf82d4e9cd3504b55dde018de765a91bb566283c545a99a7',
    '1e9654e951a5ba44c8604c4de6c67fd78a27e81dcadcfe1edf638ba3aaebaed6',
  ],
  [
    'Hello World',
    'b79d196740ad5217771c1098fc4a4b51e0535c32236c71f1ea4d61a2d603352b',
    '88737ae86f2077145f93cc4b153ae9a1cb8d56afa511988c149c5c8c9d93bddf',
  ],
  [
    'UTF-8 support: öäüéàè 测试文本 \uD83D\uDE04',
    'c8f4f525fe8afb1bc09b44175bd2096f079c98425e8a1be676b712add1fb62f0',
    '8f488e06b89eafd019ec528109eafaf7f1d1811fd617aa1eeb9658f1c1be6586',
  ],
])('BIP322: the transactions of the message "%s"', (message, spend, sign) => {
  const script = scriptOfAddress(segwit, mainnet)
  expect(toSpendId(script, message)).toBe(spend)
  expect(toSign(script, message).id).toBe(sign)
})

test.each([
  ['the empty message', segwit, '', `smp${EMPTY}`],
  [
    'the same with a longer signature',
    segwit,
    '',
    'smpAkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
  ],
  ['a message', segwit, 'Hello World', `smp${HELLO}`],
  ['no name of a variant', segwit, 'Hello World', HELLO],
  [
    'another key',
    'bc1qkntwc3c4dzxh9xh6875l03fn3vkk023jgak3u7',
    'ESHJI7MWUL64AXHBI42L3UR4QA',
    'AkcwRAIgCYHF/vn67iZX5WBimh84kqD6pTME6eNCMGhfFnnwCNECIAF3nMCk/RfLit+uv8a8FgfQIw0f0ASE21GSz7rX17PsASEDTA2vM8bOtUFgvenSDUmvkq7aWNwoTB0CMiM6carHY1s=',
  ],
  ['taproot', taproot, 'TPIZPITUIHEUHO5ACOL6W6MBVD', BY_TAPROOT],
  [
    'taproot, no name of a variant',
    'bc1pss0zhytly75awhm6x2hhvd5lnzv3vssgrf9axfheq8ldyzn88ges79fler',
    'No prefix fallback',
    'AUCJYOwOjxYAvatTAGYaVlNXBVyFuc4MwNQkOuK2tl8xhfKDONd0NjfYyNSYcRqeCp8hsAnCEPHAVEkO9h6vbQ/R',
  ],
  ['taproot with its hash type written out', WRITTEN_OUT_BY, 'Hello World', WRITTEN_OUT],
  [
    'segwit inside of a script hash',
    '37qyp7jQAzqb2rCBpMvVtLDuuzKAUCVnJb',
    '',
    'AkgwRQIhAJFXl+/g7w+UDxvGex2KulmFJshHi02gQZXGRpZ+9bapAiB5Q/ikazTS7FMewqVFil3RLkEErUZ25k6f/xYThoQXogEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
  ],
  [
    'the compact form of old addresses',
    '1F3sAm6ZtwLAUnj7d38pGFxtP3RVEvtsbV',
    'This is an example of a signed message.',
    'H9L5yLFjti0QTHhPyFrZCT1V/MMnBtXKmoiKDZ78NDBjERki6ZTQZdSMCtkgoNmp17By9ItJr8o7ChX0XxY91nk=',
  ],
])('published proof: %s', (_name, address, message, proof) => {
  verifyMessage(address, message, proof, mainnet)
  rejected(address, `${message}!`, proof, /not by this address over this message/)
})

describe('rejected', () => {
  test.each([
    ['no base64', segwit, '', 'not-valid-base64!!!', /not base64/],
    ['base64 for addresses in links', segwit, '', EMPTY.replaceAll('/', '_').replaceAll('+', '-'), /not base64/],
    ['nothing', segwit, '', '', /expected a BIP322 signature in base64/],
    ['a name alone', segwit, '', 'smp', /expected a BIP322 signature in base64/],
    ['too much', segwit, '', 'A'.repeat(1004), /expected a BIP322 signature in base64/],
    ['an unknown variant', segwit, '', 'fooAA==', /base64|witness stack/],
    ['the full variant', segwit, '', `ful${EMPTY}`, /full variant/],
    ['an empty stack', segwit, '', 'smpAA==', /expected a signature and a public key/],
    ['a stack with bytes behind it', segwit, '', base64.encode(Uint8Array.of(...base64.decode(EMPTY), 0)), /not a witness stack/],
    ['a stack that is cut off', segwit, '', base64.encode(base64.decode(EMPTY).subarray(0, -1)), /not a witness stack/],
    ['the proof of another message', segwit, 'Hello World', EMPTY, /not by this address over this message/],
    ['the proof of another address', 'bc1qx3f9s3scavc92s3g2fhwzqzn7qucd37ez03jpf', '', EMPTY, /by another key/],
    [
      'the proof of another taproot address',
      'bc1pr72av8sh7qc2ssxs8w0hlj0cl82g2q2dvypngzgsrmd4plml84ksmfyv0q',
      'TPIZPITUIHEUHO5ACOL6W6MBVD',
      BY_TAPROOT,
      /not by this address/,
    ],
    ['the proof of a segwit address for taproot', taproot, '', EMPTY, /expected one signature/],
    [
      'the proof of taproot for a segwit address',
      segwit,
      'TPIZPITUIHEUHO5ACOL6W6MBVD',
      BY_TAPROOT,
      /expected a signature and a public key/,
    ],
    ['an address of many keys', 'bc1qp0ahvfh83088w49k405szqgg4f3pptr7p2g06tdxfjcd40z4lh4q95lsz9', '', EMPTY, /kind of .* not supported/],
    ['a witness for an old address', '1F3sAm6ZtwLAUnj7d38pGFxtP3RVEvtsbV', '', EMPTY, /compact signature of 65 bytes/],
    [
      'a compact signature for a segwit address',
      segwit,
      'This is an example of a signed message.',
      'H9L5yLFjti0QTHhPyFrZCT1V/MMnBtXKmoiKDZ78NDBjERki6ZTQZdSMCtkgoNmp17By9ItJr8o7ChX0XxY91nk=',
      /witness stack/,
    ],
  ])('%s', (_name, address, message, proof, words) => rejected(address, message, proof, words))

  test('another hash type, and every single changed byte', () => {
    const bytes = base64.decode(HELLO)
    for (const index of bytes.keys()) {
      const changed = Uint8Array.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      rejected(segwit, 'Hello World', base64.encode(changed), /signature does not prove the address/)
    }
    const taprootBytes = base64.decode(BY_TAPROOT)
    for (const hashType of [0x00, 0x01, 0x02, 0x83]) {
      const typed = Uint8Array.of(1, 65, ...taprootBytes.subarray(2), hashType)
      rejected(taproot, 'TPIZPITUIHEUHO5ACOL6W6MBVD', base64.encode(typed), /not by this address/)
    }
    const written = base64.decode(WRITTEN_OUT)
    for (const hashType of [0x00, 0x02, 0x03, 0x81, 0x83]) {
      const typed = Uint8Array.of(...written.subarray(0, -1), hashType)
      rejected(WRITTEN_OUT_BY, 'Hello World', base64.encode(typed), /not by this address/)
    }
  })

  test('the same signature with the other s', () => {
    const bytes = base64.decode(HELLO)
    const signatureLength = bytes[1] ?? 0
    const { r, s } = secp256k1.Signature.fromBytes(bytes.subarray(2, 1 + signatureLength), 'der')
    const high = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s).toBytes('der')
    const witness = Uint8Array.of(2, high.length + 1, ...high, 1, ...bytes.subarray(2 + signatureLength))
    rejected(segwit, 'Hello World', base64.encode(witness), /not by this address/)
  })
})

describe.each(['bitcoin:regtest', 'bitcoin:testnet', 'litecoin:mainnet', 'litecoin:regtest'])('on %s', (reference) => {
  const network = networkOf(reference)
  test.each(['wpkh', 'sh-wpkh', 'tr'] as const)('an address of the kind %s signs for itself and for no other', (kind) => {
    const [wallet, other] = [testWallet(kind, '11'.repeat(32), network), testWallet(kind, '22'.repeat(32), network)]
    const proof = wallet.sign('to be proved')
    verifyMessage(wallet.address, 'to be proved', proof, network)
    verifyMessage(wallet.address, 'to be proved', `smp${proof}`, network)
    rejected(wallet.address, 'to be proven', proof, /not by this address over this message/, network)
    rejected(other.address, 'to be proved', proof, /does not prove the address/, network)
  })
})
