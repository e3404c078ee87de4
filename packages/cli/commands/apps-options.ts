/** The options of `tandem apps`. */
import type { Command } from 'commander'
import type * as commands from './apps.ts'
import { runOnce, type Terminal } from './terminal.ts'

type Work = (apps: typeof commands, terminal: Terminal) => Promise<void>

const run = (work: Work): Promise<void> => runOnce(async (terminal) => work(await import('./apps.ts'), terminal))

export function registerApps(program: Command): void {
  const apps = program.command('apps').description("integrators' apps: each has an id for its requests, and its own settings")

  const add = (usage: string, description: string): Command =>
    apps
      .command(usage)
      .description(description)
      .option('-c, --config <file>', "the service's configuration file (default: that of the local stack)")

  const withSettings = (command: Command): Command =>
    command
      .option('--slippage <bips>', 'default slippage of its orders, 0 to 500 hundredths of a percent')
      .option('--sponsorship', "the service pays for initiations by signature (a new app's default)")
      .option('--no-sponsorship', 'users pay for their own initiations')
      .option(
        '--sponsored-per-day <number>',
        'at most this many of them in 24 hours, failed ones included (a new app\'s default: 200), or "unlimited"',
      )
      .option(
        '--approval <amount>',
        'what users are asked to approve: "exact", the amount of an order (a new app\'s default), or "unlimited"',
      )
      .option('--rate-limit <per-minute>', 'requests per minute, or "default" for the limit of the service')
      .option('--origin <url...>', 'web pages that may use the id, as https://host[:port]; replaces the previous ones')
      .option('--no-origin', 'no web page may use the id')
      .option('--permissions <list>', 'a list of read, trade and explain (the parts of quotes)')

  withSettings(add('create <name>', 'create an app and show its id, only this once')).action((name, options) =>
    run((commands, terminal) => commands.createAppCommand(name, options, terminal)),
  )
  add('list', 'list all apps and their settings')
    .option('--json', 'print JSON')
    .action((options) => run((commands, terminal) => commands.listAppsCommand(options, terminal)))
  withSettings(add('update <name>', 'change the given settings only')).action((name, options) =>
    run((commands, terminal) => commands.updateAppCommand(name, options, terminal)),
  )
  add('rotate <name>', 'create a new id, shown once; the old one stops working').action((name, options) =>
    run((commands, terminal) => commands.rotateAppCommand(name, options, terminal)),
  )
  add('disable <name>', 'refuse its id; its orders continue').action((name, options) =>
    run((commands, terminal) => commands.setAppDisabledCommand(name, true, options, terminal)),
  )
  add('enable <name>', 'accept its id again').action((name, options) =>
    run((commands, terminal) => commands.setAppDisabledCommand(name, false, options, terminal)),
  )
}
