/** These are the options of `tandem solver` and its subcommands. */
import type { Command } from 'commander'
import { runOnce } from './terminal.ts'

const WHAT_HELP = 'a chain, or a pair as <asset>-><asset> in quotes; without it, everything'

export function registerSolver(program: Command): void {
  const solver = program
    .command('solver')
    .description('run a solver alone; with a subcommand, see or halt one that runs')
    .option('-c, --config <file>', 'its configuration file')
    .option('-q, --quiet', 'log warnings and errors only')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (or TANDEM_LOG_LEVEL)')
    .action(async (options) => {
      if (options.config === undefined) solver.error("error: required option '-c, --config <file>' not specified")
      await (await import('./solver.ts')).runSolver(options)
    })

  const add = (usage: string, description: string): Command =>
    solver
      .command(usage)
      .description(description)
      .option('-c, --config <file>', "the solver's configuration file (default: that of the local stack)")

  add('halt [what]', `take no new orders and pay for none: ${WHAT_HELP}. Redeems and refunds go on`)
    .option('--reason <text>', 'for the log, and for services that ask')
    .option('--minutes <number>', 'resume by itself after this time')
    .action((what, options, command) =>
      runOnce(async (terminal) => (await import('./solver-risk.ts')).haltCommand(what, withParent(options, command), terminal)),
    )
  add('resume [what]', `take orders again: ${WHAT_HELP}`).action((what, options, command) =>
    runOnce(async (terminal) => (await import('./solver-risk.ts')).resumeCommand(what, withParent(options, command), terminal)),
  )
  const sends = (usage: string, description: string) =>
    add(usage, description)
      .option('--dry-run', 'show what would be sent, and ask for nothing')
      .option('--no-wait', 'return at once: the running solver sends it')
  const NEEDS = 'The running solver sends it, to addresses of its configuration only'
  sends('send', `send inventory to an address. ${NEEDS}`)
    .requiredOption('--asset <asset>', 'such as ethereum:usdc')
    .requiredOption('--to <address>', 'one of withdrawals.addresses of the configuration')
    .requiredOption('--amount <amount>', 'in whole coins, such as 1.5')
    .action((options, command) =>
      runOnce(async (terminal) => (await import('./solver-withdrawals.ts')).sendCommand(withParent(options, command), terminal)),
    )
  sends('sweep', `send what is above pricing.inventory_targets to the first address of each chain. ${NEEDS}`)
    .option('--asset <asset>', 'this asset only')
    .action((options, command) =>
      runOnce(async (terminal) => (await import('./solver-withdrawals.ts')).sweepCommand(withParent(options, command), terminal)),
    )
  sends('evacuate', `send everything that no order needs to the first address of each chain; safe to repeat. ${NEEDS}`).action(
    (options, command) =>
      runOnce(async (terminal) => (await import('./solver-withdrawals.ts')).evacuateCommand(withParent(options, command), terminal)),
  )
  add('withdrawals', 'list what was asked to be sent, the newest first')
    .option('--cancel <id>', 'cancel one that is not signed')
    .option('--json', 'print JSON')
    .action((options, command) =>
      runOnce(async (terminal) => (await import('./solver-withdrawals.ts')).withdrawalsCommand(withParent(options, command), terminal)),
    )
  add('status', 'halts, inventory, open orders, exposure, profit by pair, apps, and what to move where')
    .option('--json', 'print JSON')
    .option('--watch', 'print it again every two seconds')
    .option('--days <number>', 'count the orders of the last days (default: 30)')
    .action((options, command) =>
      runOnce(async (terminal) => (await import('./solver-status.ts')).statusCommand(withParent(options, command), terminal)),
    )
}

/** `-c` may stand before or after the subcommand. */
function withParent<T extends object>(options: T, command: Command): T {
  return { ...command.parent?.opts(), ...options }
}
