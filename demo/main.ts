/** `npm run demo`: real swaps on the local stack, printed step by step. Exit code 0 only if every balance is right. */
import { parseArgs } from 'node:util'
import { createLocalClient } from './client/local-client.ts'
import { findStack } from './find-stack.ts'
import { playAll } from './play-all.ts'
import { createStoryTeller } from './story-teller.ts'
import { chainsOf, swaps } from './swaps.ts'

const HELP = `npm run demo [-- --json]

Performs eight swaps on the local stack (started if none is running). Swaps whose chains do not run are skipped.
--json  one line for each swap: transactions, and milliseconds for each step
`

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
})
if (values.help) process.stdout.write(HELP)
else process.exitCode = await run(values.json)

async function run(json: boolean): Promise<number> {
  const write = (text: string) => process.stdout.write(text)
  const needed = [...new Set(swaps.flatMap(chainsOf))]
  const { info, release } = await findStack(needed, (what) => {
    if (!json) write(`${what} …\n`)
  })
  try {
    const { summary, ok } = await playAll(createLocalClient(info), createStoryTeller({ json, write }))
    if (!json) write(`\n${summary}\n`)
    return ok ? 0 : 1
  } finally {
    await release()
  }
}
