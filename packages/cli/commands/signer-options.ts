/** These are the options of `tandem signer` and its subcommands. */
import type { Command } from 'commander'
import { runOnce } from './terminal.ts'

export function registerSigner(program: Command): void {
  const signer = program
    .command('signer')
    .description('run a signer: a process that has the keys of a solver and refuses what its own rules do not allow')
    .option('-c, --config <file>', 'its configuration file; for `status` that of the solver')
    .option('-q, --quiet', 'log warnings and errors only')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (or TANDEM_LOG_LEVEL)')
    .action(async (options) => {
      if (options.config === undefined) signer.error("error: required option '-c, --config <file>' not specified")
      await (await import('./signer.ts')).runSigner(options)
    })

  const configOf = (command: Command): string => {
    const { config } = command.optsWithGlobals<{ readonly config?: string }>()
    return config ?? signer.error("error: required option '-c, --config <file>' not specified")
  }
  signer
    .command('status')
    .description('ask the signer of a solver for its keys, its addresses and its journal; --config is the file of the solver')
    .option('-c, --config <file>', 'the configuration file of the solver')
    .action((_, command) => runOnce(async (terminal) => (await import('./signer.ts')).signerStatusCommand(configOf(command), terminal)))
  signer
    .command('approve')
    .description('sign a large withdrawal as a second operator; put the file that it prints into the folder of approvals of the signer')
    .requiredOption('--key-file <file>', 'the private key of the approver, as `tandem keys create` makes it')
    .requiredOption('--chain <chain>', 'such as ethereum')
    .requiredOption('--asset <asset>', 'such as ethereum:usdc')
    .requiredOption('--to <address>', 'the address, in the form in which the signer refused it')
    .requiredOption('--amount <amount>', 'in the smallest unit')
    .action((options) => runOnce(async (terminal) => (await import('./signer.ts')).approveCommand(options, terminal)))
  signer
    .command('confirm-restore')
    .description('after the journal was restored from an older copy: sign locks, refunds and withdrawals again. The signer must be stopped')
    .option('-c, --config <file>', 'the configuration file of the signer')
    .option('--yes', 'confirm; without it, say why it waits')
    .action((options, command) =>
      runOnce(async (terminal) =>
        (await import('./signer.ts')).confirmSignerCommand({ config: configOf(command), yes: options.yes === true }, terminal),
      ),
    )
}
