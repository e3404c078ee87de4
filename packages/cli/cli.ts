/** The `tandem` command loads the code of a command only when it runs, so that help is quick. */

import { localChains } from '@tandem/families/registry.ts'
import { roles } from '@tandem/service/role.ts'
import { Command, InvalidArgumentError, Option } from 'commander'
import { registerDeploy } from './commands/deploy-options.ts'
import { registerRefund } from './commands/refund-options.ts'
import { registerApps, registerEarnings, registerOperator, registerWebhooks } from './commands/service-options.ts'
import { registerSigner } from './commands/signer-options.ts'
import { registerSolver } from './commands/solver-options.ts'
import { runOnce } from './commands/terminal.ts'

const DEFAULT_PORT = 8080

const parsePort = (text: string): number => {
  const port = Number(text)
  if (!/^[0-9]+$/.test(text) || port > 65535) throw new InvalidArgumentError('a port is a number from 0 (any free one) to 65535')
  return port
}

const parseChains = (text: string, before: readonly string[] = []): readonly string[] => [...before, ...text.split(',')]

const CHAINS_HELP = `run only these local chains, separated by commas; a prefix of an id is enough. Local chains: ${localChains.map(({ id }) => id).join(', ')}`

/** TANDEM_PORT is for machines where PORT is meant for another program. */
const portOption = (what: string): Option =>
  new Option('-p, --port <port>', `${what} (or TANDEM_PORT, or PORT)`)
    .env(process.env.TANDEM_PORT === undefined ? 'PORT' : 'TANDEM_PORT')
    .argParser(parsePort)
    .default(DEFAULT_PORT)

const DATABASE_HELP = '\nDATABASE_URL: a PostgreSQL server to use instead of the embedded one.'

const program = new Command('tandem')
  .description('Cross-chain atomic swaps: two swaps that complete together, or not at all.')
  .showHelpAfterError('(--help lists commands and options)')

program
  .command('start')
  .description('run everything on this machine: database, local chains, a solver and the service; with --config, the service alone')
  .addOption(portOption('port of the API on 127.0.0.1'))
  .option('-c, --config <file>', 'run only the service, from this configuration file')
  .addOption(
    new Option(
      '--role <role>',
      'with --config: api serves HTTP only, engine redeems and refunds and serves none (default: both in one process)',
    ).choices(roles),
  )
  .option('--chains <names>', CHAINS_HELP, parseChains)
  .option('--split', 'without --config: redeems and refunds run in a process of their own, and the keys of a solver are in another')
  .option('-q, --quiet', 'log warnings and errors only')
  .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (or TANDEM_LOG_LEVEL)')
  .addHelpText('after', DATABASE_HELP)
  .action((options) => runOnce(async () => (await import('./commands/start.ts')).runStart(options)))

registerSolver(program)
registerSigner(program)

program
  .command('devnet')
  .description('run the local chains and databases only, and write configuration files for `start` and `solver`')
  .addOption(portOption('port the service will listen on'))
  .option('--chains <names>', CHAINS_HELP, parseChains)
  .addHelpText('after', DATABASE_HELP)
  .action((options) => runOnce(async () => (await import('./commands/start.ts')).runDevnet(options)))

registerApps(program)
registerWebhooks(program)
registerOperator(program)
registerRefund(program)
registerDeploy(program)
registerEarnings(program)

program
  .command('doctor')
  .description('show the effective configuration of a service or a solver, check everything that it refers to, and say how to fix problems')
  .option('-c, --config <file>', 'the configuration file (default: that of the local stack)')
  .option('--json', 'print JSON')
  .action((options) =>
    runOnce(async (terminal) => {
      if (!(await (await import('./commands/doctor.ts')).doctorCommand(options, terminal))) process.exitCode = 1
    }),
  )

program
  .command('reindex')
  .description('rebuild the lists of orders from orders and chain events; safe while the service runs')
  .option('-c, --config <file>', "the service's configuration file (default: that of the local stack)")
  .action((options) => runOnce(async (terminal) => (await import('./commands/reindex.ts')).reindexCommand(options, terminal)))

program
  .command('confirm-restore')
  .description('after the database of a service or a solver was restored from an older backup: sign for older orders again')
  .option('-c, --config <file>', 'the configuration file (default: that of the local stack)')
  .option('--yes', 'confirm; without it, show the orders that wait')
  .action((options) =>
    runOnce(async (terminal) => (await import('./commands/confirm-restore.ts')).confirmRestoreCommand(options, terminal)),
  )

const keys = program
  .command('keys')
  .description('keys of services and solvers: those that sign their messages to each other, and those of chains')
const withPassphrase = (command: Command): Command =>
  command
    .option('--passphrase-file <file>', 'the file with the passphrase')
    .option('--passphrase-env <variable>', 'the environment variable with the passphrase')
withPassphrase(
  keys
    .command('create <file>')
    .description('write a new private key into a new file, and show its public key')
    .option('--curve <curve>', 'ed25519 (the default, for messages to the other party), secp256k1 or stark')
    .option('--encrypt', 'write it encrypted under a passphrase, never in plain'),
).action((file, options) => runOnce(async (terminal) => (await import('./commands/keys.ts')).createKeyCommand(file, options, terminal)))
withPassphrase(keys.command('encrypt <file>').description('encrypt a file with a secret under a passphrase, in its place')).action(
  (file, options) => runOnce(async (terminal) => (await import('./commands/keys.ts')).encryptKeyCommand(file, options, terminal)),
)
keys
  .command('sealing <file>')
  .description('for a host that runs only the API: write the seal key into a new file, and show the setting that replaces vault_key')
  .option('-c, --config <file>', "the engine's configuration file (default: that of the local stack's service)")
  .action((file, options) =>
    runOnce(async (terminal) => (await import('./commands/sealing-keys.ts')).sealingKeysCommand(file, options, terminal)),
  )
keys
  .command('show')
  .description('show the public key of a service or a solver, for the other party')
  .option('--all', 'show the public keys of its chains too, as settings for a configuration that only watches')
  .option('-c, --config <file>', "the configuration file (default: that of the local stack's service)")
  .action((options) => runOnce(async (terminal) => (await import('./commands/keys.ts')).showKeyCommand(options, terminal)))

program
  .command('config')
  .description('the JSON Schema of a configuration file, for editors')
  .requiredOption('--schema <party>', 'service, solver or signer')
  .action((options) =>
    runOnce(async (terminal) => (await import('./commands/config-schema.ts')).configSchemaCommand(options.schema, terminal)),
  )

await program.parseAsync()
