/** These are the options of `tandem refund`. */
import type { Command } from 'commander'
import { runOnce } from './terminal.ts'

const HELP = `
Needs neither the service nor its database. Without a node, name the deposits and the fee rate; the transaction is printed, to be sent
from anywhere once the timelock of the deposits has passed:

  tandem refund --package refund.json --deposit 4d9e…a1:0:1000000 --fee-rate 5

A node finds the deposits, their age and the fee rate, and --broadcast sends the transaction to it:

  tandem refund --package refund.json --node esplora=https://esplora.example/api --broadcast

What lies at the deposit address of an order goes to the owner that its package names. Without --broadcast it is only shown. Any key that
pays the fee can send it after the deadline of the order; before that only the key of the owner, while the money can still be locked. The
nodes are those of --node or --config, or else public ones:

  tandem refund --package refund.json --node rpc=https://rpc.example --key-file payer.key --broadcast

An operator who has the service's database and vault key needs no package:

  tandem refund --order <order_id> --config service.json --node esplora=https://esplora.example/api --broadcast

The package is the "refund_package" of the answer to POST /orders; the whole answer is understood too. Keep it secret: it may hold a key.`

export function registerRefund(program: Command): void {
  program
    .command('refund')
    .description('refund a deposit, or empty a deposit address, with the refund package that POST /orders returned, without the service')
    .option('--package <file>', 'the refund package, a JSON file')
    .option('--order <id>', "for an operator: an order of the service's database, instead of a package")
    .option(
      '--config <file>',
      "with --order: the service's configuration (default: that of the local stack); for a deposit address: one that has its chain",
    )
    .option('--deposit <id:amount...>', 'deposits to refund, amounts in the smallest unit (default: all that the node finds)')
    .option('--to <address>', 'recipient of the refund (default: the refund address of the package)')
    .option('--fee-rate <rate>', "in the chain's own unit, e.g. 5 or 2.5 per virtual byte (default: the node's estimate)")
    .option(
      '--key-file <file>',
      'a file with the private key, 64 hex characters, where the package has none; for a deposit address: the key that pays the fee',
    )
    .option('--node <kind=url>', 'a node to ask, e.g. esplora=https://host/api or rpc=http://user:password@host:port')
    .option('--esplora <url>', 'short for --node esplora=<url>')
    .option('--broadcast', 'send the transaction')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((options) => runOnce(async (terminal) => (await import('./refund.ts')).refundCommand(options, terminal)))
}
