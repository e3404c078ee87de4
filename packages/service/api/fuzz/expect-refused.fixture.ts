/** This fixture expects a refusal: the envelope, an error text that leaks nothing, and an unchanged database. */

import { type ErrorCode, errorStatus } from '@tandem/protocol/error.ts'
import { expect } from 'vitest'
import type { Call, TestService } from '../../testing/service.fixture.ts'
import { createJudge } from './judge.fixture.ts'
import { fingerprint } from './prepare.fixture.ts'

const judge = createJudge({ operationId: '', summary: '', tags: [], responses: {} })

export async function expectRefused(
  service: TestService,
  method: string,
  path: string,
  call: Call,
  code: ErrorCode,
  words: RegExp,
): Promise<void> {
  const before = await fingerprint(service.db)
  const { status, headers, body } = await service.call(method, path, call)
  expect({ status, body }).toEqual({
    status: errorStatus[code],
    body: { status: 'Error', error: expect.stringMatching(words), result: null, code },
  })
  const request = { method, path, headers: { ...call.headers }, body: Buffer.from(call.raw ?? JSON.stringify(call.body) ?? '') }
  const answer = { status, headers: { 'content-type': headers.get('content-type') ?? '' }, text: JSON.stringify(body) }
  expect(judge(request, answer)).toEqual([])
  expect(await fingerprint(service.db)).toBe(before)
}
