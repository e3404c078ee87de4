/** The options of `tandem operator`. */
import type { Command } from 'commander'
import type * as commands from './operator.ts'
import { runOnce, type Terminal } from './terminal.ts'

type Work = (operator: typeof commands, terminal: Terminal) => Promise<void>

const run = (work: Work): Promise<void> => runOnce(async (terminal) => work(await import('./operator.ts'), terminal))

export function registerOperator(program: Command): void {
  const operator = program.command('operator').description('who may look at the operator page of a service, and read its metrics')

  const add = (usage: string, description: string): Command =>
    operator
      .command(usage)
      .description(description)
      .option('-c, --config <file>', "the service's configuration file (default: that of the local stack)")

  add('token <name>', 'create a token and show it, only this once')
    .option('--write', 'it may also halt and resume chains; without this it only reads')
    .action((name, options) => run((commands, terminal) => commands.createTokenCommand(name, options, terminal)))
  add('list', 'list all tokens')
    .option('--json', 'print JSON')
    .action((options) => run((commands, terminal) => commands.listTokensCommand(options, terminal)))
  add('revoke <name>', 'refuse a token from now on, and end its sessions').action((name, options) =>
    run((commands, terminal) => commands.revokeTokenCommand(name, options, terminal)),
  )
}
