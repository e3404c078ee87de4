/** The options of `tandem webhooks`. */
import type { Command } from 'commander'
import { runOnce, type Terminal } from './terminal.ts'
import type * as commands from './webhooks.ts'

type Work = (webhooks: typeof commands, terminal: Terminal) => Promise<void>

const run = (work: Work): Promise<void> => runOnce(async (terminal) => work(await import('./webhooks.ts'), terminal))

export function registerWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('endpoints of apps that get each event of their orders, signed')

  const add = (usage: string, description: string): Command =>
    webhooks
      .command(usage)
      .description(description)
      .option('-c, --config <file>', "the service's configuration file (default: that of the local stack)")

  add('add <app> <url>', 'add an endpoint and show its secret, only this once').action((app, url, options) =>
    run((commands, terminal) => commands.addWebhookCommand(app, url, options, terminal)),
  )
  add('list', 'list all endpoints, with what waits and what was given up')
    .option('--json', 'print JSON')
    .action((options) => run((commands, terminal) => commands.listWebhooksCommand(options, terminal)))
  add('test <id>', 'send a message of type "test" now').action((id, options) =>
    run((commands, terminal) => commands.testWebhookCommand(id, options, terminal)),
  )
  add('rotate <id>', 'create a new secret, shown once; the old one signs too for 24 hours').action((id, options) =>
    run((commands, terminal) => commands.rotateWebhookCommand(id, options, terminal)),
  )
  add('replay <id>', 'deliver again what was given up after three days')
    .option('--since <time>', 'deliver all events since then again instead, of the last 7 days')
    .action((id, options) => run((commands, terminal) => commands.replayWebhookCommand(id, options, terminal)))
  add('remove <id>', 'remove an endpoint').action((id, options) =>
    run((commands, terminal) => commands.removeWebhookCommand(id, options, terminal)),
  )
}
