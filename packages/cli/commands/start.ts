/** `tandem start` runs the service alone with `--config`, otherwise the whole local stack. */
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { chooseLogLevel, createLogger } from '@tandem/runtime/log.ts'
import { startService } from '@tandem/service/main.ts'
import type { DevnetOptions, LocalStackOptions } from './local-stack.ts'
import { runUntilStopped } from './run-until-stopped.ts'

export type StartOptions = LocalStackOptions & { readonly config?: string; readonly quiet?: boolean }

export async function runStart({ config, quiet, ...options }: StartOptions): Promise<void> {
  const asked = quiet ? { logLevel: 'warn', ...options } : options
  if (config === undefined) await (await loadLocalStack()).runLocalStack(asked)
  else await runService(config, asked)
}

export async function runDevnet(options: DevnetOptions): Promise<void> {
  await (await loadLocalStack()).runDevnet(options)
}

async function runService(config: string, { chains, role, split, logLevel }: LocalStackOptions): Promise<void> {
  const log = createLogger({ name: 'tandem' })
  await runUntilStopped(log, async () => {
    if (chains !== undefined) throw new Error('--chains is for the local stack; with --config, the file names the chains')
    if (split) throw new Error('--split is for the local stack; with --config, start two processes: --role api and --role engine')
    const loaded = await loadConfig(ServiceConfig, config)
    log.level = chooseLogLevel(logLevel, loaded.config.log_level)
    const service = await startService(loaded, log, role)
    for (const warning of loaded.secretWarnings()) log.warn(warning)
    if (service.url === null) log.info('engine is running; it serves no HTTP')
    else log.info({ url: `${service.url}/v2` }, role === 'api' ? 'API is running; engines are other processes' : 'service is running')
    return service
  })
}

/** A production build has neither the file nor the libraries that it needs. */
async function loadLocalStack(): Promise<typeof import('./local-stack.ts')> {
  try {
    return await import('./local-stack.ts')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    const reason = 'this installation has no local chains and no embedded database'
    throw new Error(`${reason}. Name a configuration file with --config, or run it in a clone after npm ci`, { cause: error })
  }
}
