/** The options of `tandem refund`. */
import type { Command } from 'commander'
import { runOnce } from './terminal.ts'

const HELP = `
Needs neither the service nor its database. Without a node, name the deposits and the fee rate; the transaction is printed, to be sent
from anywhere once the timelock of the deposits has passed:

  tandem refund --package refund.json --deposit 4d9e…a1:0:1000000 --fee-rate 5

With a node, deposits, their age and the fee rate are looked up, and --broadcast sends the transaction:

  tandem refund --package refund.json --esplora https://esplora.example/api --broadcast

The package is the "refund_package" of the answer to POST /orders; the whole answer is understood too. Keep it secret: it may hold a key.`

export function registerRefund(program: Command): void {
  program
    .command('refund')
    .description('take a deposit back with the refund package that POST /orders returned, without the service')
    .requiredOption('--package <file>', 'the refund package, a JSON file')
    .option('--deposit <id:amount...>', 'deposits to refund, amounts in the smallest unit (default: all that the node finds)')
    .option('--to <address>', 'recipient of the refund (default: the refund address of the package)')
    .option('--fee-rate <rate>', "in the chain's own unit, e.g. 5 or 2.5 per virtual byte (default: the node's estimate)")
    .option('--key-file <file>', 'a file with the private key, 64 hex characters, where the package has none')
    .option('--esplora <url>', 'an Esplora server to look up deposits with')
    .option('--rpc <url>', 'a node of the chain to look up deposits with: http://user:password@host:port')
    .option('--broadcast', 'send the transaction')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((options) => runOnce(async (terminal) => (await import('./refund.ts')).refundCommand(options, terminal)))
}
