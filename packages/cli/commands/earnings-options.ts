/** The options of `tandem earnings`. */
import type { Command } from 'commander'
import type * as commands from './earnings.ts'
import { runOnce, type Terminal } from './terminal.ts'

type Work = (earnings: typeof commands, terminal: Terminal) => Promise<void>

const run = (work: Work): Promise<void> => runOnce(async (terminal) => work(await import('./earnings.ts'), terminal))

export function registerEarnings(program: Command): void {
  const earnings = program.command('earnings').description('what affiliates earn: what is owed, the contracts that pay them, an audit')

  const add = (usage: string, description: string): Command =>
    earnings
      .command(usage)
      .description(description)
      .option('-c, --config <file>', "the service's configuration file (default: that of the local stack)")
      .option('--json', 'print JSON')

  add(
    'owed',
    'what affiliates earned, were paid and are owed in each asset, and what the contracts hold; what each solver collected',
  ).action((options) => run((commands, terminal) => commands.owedCommand(options, terminal)))
  add('received', 'a solver has paid what it collected for affiliates: they can claim the oldest orders that its payments cover')
    .requiredOption('--solver <id>', 'who paid')
    .requiredOption('--usd <amount>', 'how much, in dollars at the prices of the orders, as `earnings owed` shows it')
    .requiredOption('--reference <text>', 'of the payment, such as its transaction: the same one counts once')
    .action((options) => run((commands, terminal) => commands.receivedCommand(options, terminal)))
  add('fund', 'pay what is missing into the contract; safe to repeat')
    .requiredOption('--asset <id>', 'what to pay in, e.g. base:usdc')
    .option('--amount <number>', 'pay this much instead, in the smallest unit. Nobody can take it out again, except affiliates')
    .option('--key-file <file>', 'a file with the private key that pays, 64 hex characters; nothing else may use that key meanwhile')
    .option('--key-env <variable>', 'an environment variable with that key')
    .option('--dry-run', 'show the amount, and send nothing')
    .action((options) => run((commands, terminal) => commands.fundCommand(options, terminal)))
  add('reconcile', 'compare orders, ledger, totals and payments; fails if anything differs or is not funded').action((options) =>
    run(async (commands, terminal) => {
      if (!(await commands.reconcileCommand(options, terminal))) process.exitCode = 1
    }),
  )
}
