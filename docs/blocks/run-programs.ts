/** Imports each program whose path comes on a line of standard input, and answers with a line of JSON: one process, so that libraries are loaded once. */
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const answer = (file: string, problem: string | null): void => void process.stdout.write(`\n${JSON.stringify({ file, problem })}\n`)

createInterface(process.stdin).on('line', (file) => {
  import(pathToFileURL(file).href).then(
    () => answer(file, null),
    (error: unknown) => answer(file, error instanceof Error ? String(error.stack) : String(error)),
  )
})
