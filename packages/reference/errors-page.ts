/** The page about errors: every code, what it means and what to do. */
import { type ErrorCode, errorStatus } from '@tandem/protocol/error.ts'
import { errorAdvice } from '@tandem/protocol/error-advice.ts'
import type { Page } from './blocks.ts'

const codes = Object.keys(errorStatus) as ErrorCode[]

export const errorsPage: Page = {
  path: '/docs/errors',
  title: 'Errors, and what to do',
  summary: 'Every code, what it means, and whether to repeat the request',
  method: null,
  blocks: [
    {
      kind: 'paragraph',
      text: 'A refusal is an envelope too: `status` is `Error`, `error` says for people what was expected and what was received, and `code` is for programs. Codes are stable; texts are not.',
    },
    {
      kind: 'code',
      language: 'json',
      text: JSON.stringify({ status: 'Error', error: 'from_amount: expected …, got "1.5"', result: null, code: 'bad_request' }, null, 2),
    },
    {
      kind: 'list',
      isOrdered: false,
      items: [
        '**400 to 415**: the request must change first. Repeating it changes nothing.',
        '**429 and 503**: repeat after the seconds in the header `Retry-After`.',
        '**500, or no answer**: repeat. `POST /orders` with the same `Idempotency-Key` makes one order only; a repeated `PATCH` joins the first.',
        'Every answer has a `request-id`: give it to the operator with a question.',
      ],
    },
    ...codes.flatMap((code) => [
      { kind: 'heading' as const, level: 2 as const, text: code },
      { kind: 'paragraph' as const, text: `HTTP ${errorStatus[code]} · \`${className(code)}\` in the SDK. ${errorAdvice[code].means}` },
      { kind: 'paragraph' as const, text: `**What to do:** ${errorAdvice[code].todo}` },
    ]),
  ],
}

/** The SDK has one class for each code, named after it. */
export function className(code: ErrorCode): string {
  return `${code
    .split('_')
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('')}Error`
}
