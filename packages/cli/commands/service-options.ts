/** An operator changes the store of a service with these commands: apps, affiliates' earnings, operators and webhooks. */
import type { Command } from 'commander'
import { runOnce, type Terminal } from './terminal.ts'

function commandGroup<C>(program: Command, name: string, description: string, load: () => Promise<C>) {
  const group = program.command(name).description(description)
  return {
    add: (usage: string, text: string): Command =>
      group
        .command(usage)
        .description(text)
        .option('-c, --config <file>', "the service's configuration file (default: that of the local stack)"),
    run: (work: (commands: C, terminal: Terminal) => Promise<void>): Promise<void> =>
      runOnce(async (terminal) => work(await load(), terminal)),
  }
}

export function registerApps(program: Command): void {
  const { add, run } = commandGroup(
    program,
    'apps',
    "integrators' apps: each has an id for its requests, and its own settings",
    () => import('./apps.ts'),
  )

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

export function registerEarnings(program: Command): void {
  const { add: addPlain, run } = commandGroup(
    program,
    'earnings',
    'what affiliates earn: what is owed, the contracts that pay them, an audit',
    () => import('./earnings.ts'),
  )

  const add = (usage: string, description: string) => addPlain(usage, description).option('--json', 'print JSON')

  add(
    'owed',
    'what affiliates earned, were paid and are owed in each asset, and what the contracts hold; what each solver collected',
  ).action((options) => run((commands, terminal) => commands.owedCommand(options, terminal)))
  add('received', 'a solver has paid what it collected for affiliates: they can claim the oldest orders that its payments cover')
    .requiredOption('--solver <id>', 'who paid')
    .requiredOption('--usd <amount>', 'how much, in dollars at the prices of the orders, as `earnings owed` shows it')
    .requiredOption('--reference <text>', 'a name of the payment, such as its transaction: the same one counts once')
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

export function registerOperator(program: Command): void {
  const { add, run } = commandGroup(
    program,
    'operator',
    'tokens for the operator page of a service and for its metrics',
    () => import('./operator.ts'),
  )

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

export function registerWebhooks(program: Command): void {
  const { add, run } = commandGroup(
    program,
    'webhooks',
    'endpoints of apps that get each event of their orders, signed',
    () => import('./webhooks.ts'),
  )

  add('add <app> <url>', 'add an endpoint and show its secret, only this once').action((app, url, options) =>
    run((commands, terminal) => commands.addWebhookCommand(app, url, options, terminal)),
  )
  add('list', 'list all endpoints, with the numbers of waiting and dead messages')
    .option('--json', 'print JSON')
    .action((options) => run((commands, terminal) => commands.listWebhooksCommand(options, terminal)))
  add('test <id>', 'send a message of type "test" now').action((id, options) =>
    run((commands, terminal) => commands.testWebhookCommand(id, options, terminal)),
  )
  add('rotate <id>', 'create a new secret, shown once; the old one signs too for 24 hours').action((id, options) =>
    run((commands, terminal) => commands.rotateWebhookCommand(id, options, terminal)),
  )
  add('replay <id>', 'deliver dead messages again, which failed for three days')
    .option('--since <time>', 'deliver all events since then again instead; events are kept for 7 days')
    .action((id, options) => run((commands, terminal) => commands.replayWebhookCommand(id, options, terminal)))
  add('remove <id>', 'remove an endpoint').action((id, options) =>
    run((commands, terminal) => commands.removeWebhookCommand(id, options, terminal)),
  )
}
