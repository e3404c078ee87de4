/** Tests that requests and answers between the parties count only with a fresh, valid signature. */
import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { ANSWER_COMPONENTS, contentDigest, parseInput, parseSignature, REQUEST_COMPONENTS, requestBase } from './message-signature.ts'
import { signAnswer, signRequest } from './sign.ts'
import { createSigningKey, createVerifyingKey } from './signing-key.ts'
import { type AnswerToVerify, answerProblem } from './verify-answer.ts'
import { createNonces, createRequestVerifier } from './verify-request.ts'

const service = createSigningKey('11'.repeat(32))
const solver = createSigningKey('22'.repeat(32))
const START = 1_700_000_000_000
const toSign = { method: 'POST', target: '/v1/quote?a=b', body: '{}', recipient: solver.publicKey, waitMs: 400, nowMs: START } as const

test('keys and digests are those of the standards', () => {
  // RFC 8032 7.1, test 2.
  const key = createSigningKey('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb')
  expect(key.publicKey).toBe('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
  const signature =
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'
  expect(Buffer.from(key.sign('r'), 'base64').toString('hex')).toBe(signature)
  expect(createVerifyingKey(key.publicKey).verify('r', Buffer.from(signature, 'hex').toString('base64'))).toBe(true)
  // RFC 9530 appendix D.
  expect(contentDigest('{"hello": "world"}\n')).toBe('sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:')
  expect(() => createSigningKey('11'.repeat(31))).toThrow('32 bytes as hex')
  expect(() => createVerifyingKey('AB'.repeat(32))).toThrow('64 lower-case hex characters')
})

test('verifies a signature of RFC 9421 B.2.6 by its public key', () => {
  const key = createPublicKey(
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n-----END PUBLIC KEY-----',
  )
  const base = [
    '"date": Tue, 20 Apr 2021 02:07:55 GMT',
    '"@method": POST',
    '"@path": /foo',
    '"@authority": example.com',
    '"content-type": application/json',
    '"content-length": 18',
    '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  ].join('\n')
  const signature = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=='
  const publicKey = key.export({ format: 'der', type: 'spki' }).subarray(12).toString('hex')
  expect(createVerifyingKey(publicKey).verify(base, signature)).toBe(true)
  expect(verify(null, Buffer.from(base), key, Buffer.from(signature, 'base64'))).toBe(true)
})

test('the signature base has one line for each component, and the parameters as they were sent', () => {
  const headers = signRequest(service, toSign)
  const input = parseInput(headers['signature-input'], REQUEST_COMPONENTS)
  expect(input).toMatchObject({ created: 1_700_000_000, expires: 1_700_000_001, keyid: service.publicKey })
  expect(requestBase({ ...toSign, contentDigest: headers['content-digest'] }, input?.text ?? '')).toBe(
    `"@method": POST
"@path": /v1/quote
"@query": ?a=b
"content-digest": sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:
"tandem-recipient": ${solver.publicKey}
"@signature-params": ("@method" "@path" "@query" "content-digest" "tandem-recipient");created=1700000000;expires=1700000001;nonce="${input?.nonce}";keyid="${service.publicKey}";tag="tandem-solver-v1"`,
  )
})

test('parameters may be in any order; other forms are refused', () => {
  const parse = (parameters: string, components = REQUEST_COMPONENTS) => parseInput(`tandem=${components}${parameters}`, REQUEST_COMPONENTS)
  const tag = ';tag="tandem-solver-v1"'
  expect(parse(`${tag};alg="ed25519";keyid="k";created=5`)).toMatchObject({ created: 5, keyid: 'k' })
  for (const wrong of [
    ';created=5;keyid="k";tag="tandem-solver-v2"',
    ';created=5;keyid="k"',
    `;created=5${tag}`,
    `;created="5";keyid="k"${tag}`,
    `;created=5;created=6;keyid="k"${tag}`,
    `;created=5;keyid="k"${tag};other=1`,
    `;created=5;keyid="k"${tag}, sig2=()`,
    `;created=5;keyid="k"${tag} `,
    `;created=5;keyid=k${tag}`,
    `;created=5;keyid="k";alg="rsa-pss-sha512"${tag}`,
    `;created=5;keyid="${'k'.repeat(65)}"${tag}`,
  ])
    expect(parse(wrong), wrong).toBe(null)
  expect(parse(`;created=5;keyid="k"${tag}`, '("@method")')).toBe(null)
  expect(parse(`;created=5;keyid="k"${tag}`, ANSWER_COMPONENTS)).toBe(null)
  for (const wrong of ['', 'tandem=::', `sig1=:${'A'.repeat(86)}==:`, `tandem=:${'A'.repeat(86)}==:, sig2=:${'A'.repeat(86)}==:`])
    expect(parseSignature(wrong)).toBe(null)
})

test('an answer counts only if it is signed by this solver, for this request, with this status and body', () => {
  const requestSignature = signRequest(service, toSign).signature
  const body = Buffer.from('{"a":1}')
  const sign = (key = solver, change = {}) =>
    signAnswer(key, { status: 200, body: body.toString(), requestSignature, nowMs: START, ...change })
  const answer: AnswerToVerify = { status: 200, headers: sign(), body, requestSignature }
  const problem = (change: Partial<AnswerToVerify>) => answerProblem(createVerifyingKey(solver.publicKey), { ...answer, ...change })
  expect(problem({})).toBe(null)
  expect(problem({ headers: {} })).toBe('is not signed')
  expect(problem({ headers: sign(service) })).toContain(`is signed by the key ${service.publicKey}, expected ${solver.publicKey}`)
  expect(problem({ status: 201 })).toContain('wrong signature')
  expect(problem({ body: Buffer.from('{"a":2}') })).toContain('content-digest')
  expect(problem({ requestSignature: signRequest(service, toSign).signature })).toContain('to another request')
  expect(problem({ headers: { ...sign(service), 'signature-input': sign()['signature-input'] } })).toContain('wrong signature')
  expect(problem({ headers: { ...sign(), signature: 'x' } })).toContain('form')
})

test('a nonce is refused while its request could be repeated, and the memory is bounded', () => {
  let nowMs = START
  const verifier = createRequestVerifier({
    callers: [{ id: 'a', publicKey: service.publicKey }],
    recipient: solver.publicKey,
    nowMs: () => nowMs,
    maxNonces: 3,
  })
  const request = (secondsLater = 0) => ({
    ...toSign,
    headers: { ...signRequest(service, { ...toSign, nowMs: START + secondsLater * 1000 }) },
  })
  const take = (sent: ReturnType<typeof request>) => verifier.verify(sent).assertFresh()
  const early = request(30)
  take(early)
  nowMs += 60_000
  expect(() => take(early)).toThrow('the nonce was used before')
  nowMs += 1_000
  expect(() => take(early)).toThrow('behind our clock')
  for (let n = 0; n < 3; n += 1) take(request(61))
  expect(() => take(request(61))).toThrow('more than 3 requests')
  nowMs += 31_000
  take(request(92))
})

test('nonces of one second are forgotten together', () => {
  const nonces = createNonces(30, 2)
  expect([nonces.use('a', 100, 100), nonces.use('a', 100, 130), nonces.use('b', 131, 131), nonces.use('a', 100, 131)]).toEqual([
    true,
    false,
    true,
    true,
  ])
})

test('a clock that was ahead when the process started and is set back later does not refuse every request until then', () => {
  let nowMs = START + 3_600_000
  const verifier = createRequestVerifier({
    callers: [{ id: 'the service', publicKey: service.publicKey }],
    recipient: solver.publicKey,
    nowMs: () => nowMs,
  })
  const arrive = (signedMs: number) => {
    const headers = signRequest(service, { ...toSign, nowMs: signedMs })
    const { assertFresh } = verifier.verify({ method: toSign.method, target: toSign.target, headers })
    return assertFresh
  }
  nowMs = START
  expect(arrive(START - 1_000)).toThrow('before this process was started')
  expect(arrive(START)).not.toThrow()
  nowMs = START + 5_000
  expect(arrive(START + 5_000)).not.toThrow()
})
