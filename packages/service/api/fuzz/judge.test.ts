/** Tests that the judge of the fuzz test reports wrong answers. */
import { CreateOrderRequest } from '@tandem/protocol/wire/order.ts'
import fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { expect, test } from 'vitest'
import type { Operation } from '../../../reference/document/document.ts'
import { createJudge } from './judge.fixture.ts'
import { mutated } from './mutate.fixture.ts'
import type { FuzzRequest } from './requests.fixture.ts'
import { valuesOf } from './schema-values.fixture.ts'

const operation: Operation = {
  operationId: 'x',
  summary: '',
  tags: [],
  responses: { 200: { description: '', content: { 'application/json': { schema: { properties: { result: { type: 'string' } } } } } } },
}
const judge = createJudge(operation)
const asked: FuzzRequest = { method: 'GET', path: '/v2/x', headers: {}, body: null }
const answered = (status: number, body: unknown, type = 'application/json; charset=utf-8') =>
  judge(asked, { status, headers: { 'content-type': type }, text: typeof body === 'string' ? body : JSON.stringify(body) }).join('; ')
const refusal = (code: string, error: string) => ({ status: 'Error', error, result: null, code })

test('a correct answer passes', () => {
  expect(answered(200, { status: 'Ok', error: null, result: 'yes' })).toBe('')
  expect(answered(400, refusal('bad_request', 'amount: expected a number'))).toBe('')
  expect(answered(503, refusal('chain_unavailable', 'no solver answers'), 'application/json')).toBe('')
  expect(judge({ ...asked, headers: { 'if-none-match': '*' } }, { status: 304, headers: {}, text: '' })).toEqual([])
  const quoting = { ...asked, path: '/v2/x?NaN' }
  const echo = {
    status: 400,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify(refusal('bad_request', 'got "NaN" here')),
  }
  expect(judge(quoting, echo)).toEqual([])
})

test.each<[string, number, unknown, string | undefined, RegExp]>([
  ['no JSON', 400, 'Bad Request', undefined, /not JSON/],
  ['nothing', 417, '', undefined, /not JSON/],
  ['another content type', 200, { status: 'Ok', error: null, result: '' }, 'text/html', /content type is text\/html/],
  ['a bare result', 200, ['x'], undefined, /success is not in the envelope/],
  ['a success with more', 200, { status: 'Ok', error: null, result: '', more: 1 }, undefined, /success is not in the envelope/],
  ['another shape', 200, { status: 'Ok', error: null, result: 5 }, undefined, /not what the document promises/],
  ['a failure as 200', 200, refusal('bad_request', 'something is wrong'), undefined, /success is not in the envelope/],
  [
    'an error of the framework',
    400,
    { statusCode: 400, error: 'Bad Request', message: '' },
    undefined,
    /failure 400 is not in the envelope/,
  ],
  ['no code', 400, { status: 'Error', error: 'something is wrong', result: null }, undefined, /failure 400 is not in the envelope/],
  ['a result in a failure', 400, { ...refusal('bad_request', 'something'), result: 1 }, undefined, /failure 400 is not in the envelope/],
  ['an unknown code', 400, refusal('oops', 'something is wrong'), undefined, /code "oops"/],
  ['an inherited code', 400, refusal('toString', 'something is wrong'), undefined, /code "toString"/],
  ["another code's status", 400, refusal('not_found', 'something is wrong'), undefined, /status of not_found is not 400/],
  ['a bug', 500, refusal('internal', 'its id is 7, look it up'), undefined, /a 500: its id is 7/],
  ['no text', 400, refusal('bad_request', ''), undefined, /does not say what is wrong/],
  ['a stack', 400, refusal('bad_request', 'Error: x\n    at run (app.ts:5:7)'), undefined, /leaks/],
  ['a package', 400, refusal('bad_request', 'in /app/node_modules/pg'), undefined, /leaks "node_modules/],
  ['a folder', 400, refusal('bad_request', 'cannot open /usr/share/x'), undefined, /leaks "\/usr\//],
  ['a statement', 400, refusal('bad_request', 'failed: insert into orders values ($1)'), undefined, /leaks "insert into/],
  ['an error text of the database', 400, refusal('bad_request', 'invalid input syntax for type bigint'), undefined, /leaks/],
  ['an error text of JavaScript', 400, refusal('bad_request', "Cannot read properties of undefined (reading 'x')"), undefined, /leaks/],
  ['an object as text', 400, refusal('bad_request', 'amount: got [object Object]'), undefined, /leaks/],
])('reports %s', (_name, status, body, type, words) => {
  expect(answered(status, body, type)).toMatch(words)
})

test('304 is accepted only after a conditional request', () => {
  expect(judge(asked, { status: 304, headers: {}, text: '' })).not.toEqual([])
})

test('generated values match their schema, and most mutated values do not', () => {
  const schema: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(CreateOrderRequest))
  const checker = Compile(schema)
  const right = valuesOf(schema, { asset: ['a:b'] }, '')
  fc.assert(
    fc.property(right, (value) => checker.Check(value)),
    { seed: 1, numRuns: 200 },
  )
  const wrong = fc.sample(mutated(right), { seed: 1, numRuns: 200 }).filter((value) => !checker.Check(value))
  expect(wrong.length).toBeGreaterThan(80)
})
