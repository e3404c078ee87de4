/** These are the options of `tandem deploy`. */
import type { Command } from 'commander'
import { runOnce } from './terminal.ts'

const HELP = `
The address of an HTLC depends only on its code and its token, so it does not matter who deploys it, nor how often this runs:
an HTLC that exists is verified, and nothing is sent. The code on the chain is compared by hash with the compiled sources.

  tandem deploy --chain base_sepolia --key-file deployer.key --dry-run       show addresses and costs
  tandem deploy --chain base_sepolia --key-file deployer.key

The key pays for the deployment and has no power over the contract. Use a key that nothing else uses at the same time: not that of a running
solver or service. The result is written to packages/families/deployments/<environment>.json, which every start reads; for the local network nothing
is written unless --out names a file.`

export function registerDeploy(program: Command): void {
  program
    .command('deploy')
    .description("deploy the HTLCs of a chain's assets, verify their code, and list them for the service and the solver")
    .requiredOption('--chain <name>', 'the chain, as GET /chains names it')
    .option('--asset <name...>', 'only these assets, e.g. usdc (default: all whose token is known)')
    .option('-c, --config <file>', "a service's or solver's configuration file, for its nodes and tokens")
    .option('--rpc <url...>', 'nodes of the chain (default: those of --config, or else public ones)')
    .option('--key-file <file>', 'a file with the private key that pays, 64 hex characters')
    .option('--key-env <variable>', 'an environment variable with that key')
    .option('--dry-run', 'show addresses and costs, and send nothing')
    .option(
      '--replace',
      'deploy again where an HTLC of another version is listed; only if no order is open on the old one, which is then no longer watched',
    )
    .option('--bring-deployer', 'if the chain lacks the contract that deploys to fixed addresses: pay to deploy that contract first')
    .option('--distributor', 'deploy the contract that pays affiliates instead, for the signing key of the service in --config')
    .option('--out <file>', 'the file to list them in (default: packages/families/deployments/<environment>.json)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((options) => runOnce(async (terminal) => (await import('./deploy.ts')).deployCommand(options, terminal)))
}
