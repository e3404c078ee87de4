/** Runs one program from its configuration file until it is stopped: `tandem solver` and `tandem signer`. */
import type { LoadedConfig } from '@tandem/party/config/load-config.ts'
import { chooseLogLevel, createLogger, type Logger } from '@tandem/runtime/log.ts'
import { runUntilStopped } from './run-until-stopped.ts'

export type RunOptions = { readonly config: string; readonly quiet?: boolean; readonly logLevel?: string }

type Running = { readonly url: string; stop(): Promise<void> }

export async function runWithConfig<C extends { readonly log_level?: Parameters<typeof chooseLogLevel>[1] }>(
  name: string,
  load: (path: string) => Promise<LoadedConfig<C>>,
  start: (loaded: LoadedConfig<C>, log: Logger) => Promise<Running>,
  { config, quiet, logLevel }: RunOptions,
): Promise<void> {
  const log = createLogger({ name })
  await runUntilStopped(log, async () => {
    const loaded = await load(config)
    log.level = chooseLogLevel(logLevel ?? (quiet ? 'warn' : undefined), loaded.config.log_level)
    const running = await start(loaded, log)
    for (const warning of loaded.secretWarnings()) log.warn(warning)
    log.info({ url: running.url }, `${name} is running`)
    return running
  })
}
