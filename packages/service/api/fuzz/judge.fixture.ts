/** The judge lists what is wrong with an answer to any request. */

import { errorStatus } from '@tandem/protocol/error.ts'
import { Compile } from 'typebox/schema'
import type { Operation } from '../../../reference/document/document.ts'
import type { FuzzRequest } from './requests.fixture.ts'
import type { FuzzAnswer } from './send.fixture.ts'

export type Judge = (request: FuzzRequest, answer: FuzzAnswer) => readonly string[]

const LEAKS: readonly RegExp[] = [
  /\bat .{1,200}:\d+:\d+/,
  /node_modules|node:internal|file:\/\/|\.[cm]?[tj]s:\d+/,
  /\/(home|src|usr|tmp|var|work)\//,
  /\b(select|insert into|update|delete from)\b.{1,200}\b(from|values|set|where|returning)\b/i,
  /\b(syntax error|invalid input syntax|violates|relation "|postgres|kysely|SQLSTATE|FST_ERR)/i,
  /\b(TypeError|RangeError|SyntaxError|ReferenceError|Cannot read prop|is not a function|is not iterable)\b/,
  /\bundefined\b|\[object |\bNaN\b/,
]

/** A mutated path may reach an operation other than `operation`, so only a 200 is checked against its schema. */
export function createJudge(operation: Operation): Judge {
  const content = operation.responses['200']?.content
  const schema = content?.['application/json']?.schema
  const promised = schema === undefined ? null : Compile(schema)

  return (request, { status, headers, text }) => {
    if (status === 304 && request.headers['if-none-match'] !== undefined && text === '') return []
    if (status === 200 && headers['content-type'] === 'text/event-stream; charset=utf-8' && content?.['text/event-stream'] !== undefined)
      return []
    const complaints: string[] = []
    if (!/^application\/json(; charset=utf-8)?$/.test(String(headers['content-type'])))
      complaints.push(`the content type is ${headers['content-type']}`)
    const body = parse(text)
    if (body === undefined) return [...complaints, `the body is not JSON: ${text.slice(0, 200)}`]
    if (status === 200) return [...complaints, ...successComplaints(body, promised)]
    return [...complaints, ...failureComplaints(request, status, body)]
  }
}

type Checker = { Check(value: unknown): boolean; Errors(value: unknown): [boolean, readonly { instancePath: string; message: string }[]] }

function successComplaints(body: unknown, promised: Checker | null): readonly string[] {
  if (!isRecord(body) || body.status !== 'Ok' || body.error !== null || Object.keys(body).sort().join() !== 'error,result,status')
    return ['a success is not in the envelope']
  if (promised === null) return ['the document promises no 200']
  if (promised.Check(body)) return []
  return [`not what the document promises: ${JSON.stringify(promised.Errors(body)[1][0])}`]
}

function failureComplaints(request: FuzzRequest, status: number, body: unknown): readonly string[] {
  if (!isRecord(body) || body.status !== 'Error' || body.result !== null || Object.keys(body).sort().join() !== 'code,error,result,status')
    return [`a failure ${status} is not in the envelope: ${JSON.stringify(body).slice(0, 200)}`]
  const { code, error } = body
  const complaints: string[] = []
  if (typeof code !== 'string' || !Object.hasOwn(errorStatus, code)) complaints.push(`the code ${JSON.stringify(code)} is not one of ours`)
  else if (errorStatus[code as keyof typeof errorStatus] !== status) complaints.push(`the status of ${code} is not ${status}`)
  if (status >= 500 && status !== 503) complaints.push(`a ${status}: ${String(error)}`)
  if (typeof error !== 'string' || error.length < 10 || error.length > 2000) complaints.push('the text does not say what is wrong')
  else complaints.push(...leaks(error, request))
  return complaints
}

/** An answer may quote the client's own request. */
function leaks(text: string, request: FuzzRequest): readonly string[] {
  const sent = `${request.path} ${JSON.stringify(request.headers)} ${request.body?.toString('utf8') ?? ''}`
  return LEAKS.flatMap((leak) => {
    const found = leak.exec(text)?.[0]
    return found === undefined || sent.includes(found) ? [] : [`the text leaks "${found}"`]
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
