/** Tests that each error code has a class of its own. */
import { fileURLToPath } from 'node:url'
import { errorStatus } from '@tandem/protocol/error.ts'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import * as errors from './errors.ts'

const facts = { httpStatus: 400, retryAfterSeconds: null }

test('each code has a class of its own, whose name every build keeps', async () => {
  const entryPoints = [fileURLToPath(new URL('errors.ts', import.meta.url))]
  const { outputFiles } = await build({ entryPoints, bundle: true, minify: true, format: 'esm', write: false })
  const minified: typeof errors = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`)
  for (const code of Object.keys(errorStatus) as (keyof typeof errorStatus)[]) {
    const made = errors.errorOf(code, 'no', facts)
    expect(made.constructor).not.toBe(errors.ApiError)
    expect(minified.errorOf(code, 'no', facts).name).toBe(made.constructor.name)
  }
})

test('a code that this version does not know is an ApiError', () => {
  expect(errors.errorOf('new_code' as never, 'no', facts)).toMatchObject({ name: 'ApiError', code: 'new_code' })
})
