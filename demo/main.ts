/** `npm run demo`: four real swaps against the local stack, told as they happen. Exit code 0 only if every balance is right. */
import { parseArgs } from 'node:util'
import { openStage } from './stage.ts'
import { createStoryTeller } from './story-teller.ts'
import { swaps } from './swaps.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
})
if (values.help) {
  process.stdout.write(
    'npm run demo [-- --json]\n\nPerforms four swaps on the local stack (started if none is running).\n--json  one line for each swap: transactions, and milliseconds for each step\n',
  )
} else {
  process.exitCode = await run(values.json)
}

async function run(json: boolean): Promise<number> {
  const write = (text: string) => process.stdout.write(text)
  const stage = await openStage((what) => {
    if (!json) write(`${what} …\n`)
  })
  const teller = createStoryTeller({ json, write })
  let failures = 0
  try {
    for (const swap of swaps) {
      teller.begin(swap.title)
      try {
        const report = await swap.run(stage, teller)
        teller.end(report)
        if (!report.ok) failures += 1
      } catch (error) {
        failures += 1
        const reason = error instanceof Error ? error.message : String(error)
        teller.end({
          swap: swap.name,
          order_id: '',
          ok: false,
          status: '',
          source_tx: '',
          destination_tx: '',
          error: reason,
          ms: teller.ms,
        })
      }
    }
  } finally {
    await stage.close()
  }
  if (!json) write(failures === 0 ? '\nAll four ended as they should.\n' : `\n${failures} of ${swaps.length} did not end as they should.\n`)
  return failures === 0 ? 0 : 1
}
