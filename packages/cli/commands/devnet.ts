/** `tandem devnet`: local chains and databases only. The parties are started by hand, as separate processes. */
import { relative } from 'node:path'
import { startClaimedStack } from '@tandem/local/claimed-stack.ts'
import { LOCAL_FOLDER } from '@tandem/local/local-folder.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { databaseServer } from './database-server.ts'
import { runUntilStopped } from './run-until-stopped.ts'

export async function runDevnet({ port, chains }: { readonly port: number; readonly chains?: readonly string[] }): Promise<void> {
  const log = createLogger({ name: 'devnet' })
  await runUntilStopped(log, async () => {
    const stack = await startClaimedStack({
      port,
      log,
      startParties: false,
      livePrices: {},
      ...databaseServer(),
      ...(chains !== undefined && { chains }),
    })
    const file = (path: string) => relative(process.cwd(), path)
    process.stdout.write(`
Local chains and databases are running. Ctrl-C stops them.

Start the two parties, each in its own terminal:
  npm run tandem -- solver --config ${file(stack.configs.solverFile)}
  npm run tandem -- start --config ${file(stack.configs.serviceFile)}

App id ${stack.info.app_id}; the rest is in ${file(LOCAL_FOLDER)}/local.json

`)
    return stack
  })
}
