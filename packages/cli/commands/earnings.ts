/** `tandem earnings` shows what affiliates are owed, funds the contract that pays them, and audits the ledger. */
import { readPublicKeyring } from '@tandem/party/config/keyring.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { createNetwork } from '@tandem/party/engine/network.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { auditLedger } from '@tandem/party/store/ledger/audit-ledger.ts'
import { readCollected } from '@tandem/party/store/ledger/ledger.ts'
import { markOwnPaidIn, recordSolverPayment } from '@tandem/party/store/ledger/paid-in.ts'
import { formatUsd, parseAmount } from '@tandem/protocol/amount.ts'
import { type BalanceSheet, type BookContext, payerOf, readBalanceSheets } from '@tandem/service/earnings/balance-sheet.ts'
import { configPath } from './config-path.ts'
import { type KeyOptions, readKey } from './read-key.ts'
import { formatTable, type Terminal } from './terminal.ts'

type Place = { readonly config?: string; readonly json?: boolean }

export type FundOptions = Place & KeyOptions & { readonly asset: string; readonly amount?: string; readonly dryRun?: boolean }

export async function owedCommand(options: Place, terminal: Terminal): Promise<void> {
  await withBooks(options, async (context) => {
    const sheets = await readBalanceSheets(context)
    const collected = await readCollected(context.db)
    if (options.json === true) {
      const solvers = collected.map(({ solverId, usdMicros, waitingUsdMicros }) => ({
        solver_id: solverId,
        collected_usd: formatUsd(usdMicros),
        waiting_usd: formatUsd(waitingUsdMicros),
      }))
      return terminal.answer(JSON.stringify({ assets: sheets.map(sheetToJson), solvers }, null, 2))
    }
    if (sheets.length === 0) return terminal.answer('No affiliate has earned anything yet.')
    terminal.answer(formatTable([HEADINGS, ...sheets.map(cellsOf)]))
    const lines = collected.map(
      ({ solverId, usdMicros, waitingUsdMicros }) =>
        `${solverId} collected ${formatUsd(usdMicros)} USD for affiliates, and has not paid in ${formatUsd(waitingUsdMicros)}`,
    )
    terminal.answer(['', ...lines].join('\n'))
  })
}

export type ReceivedOptions = Place & { readonly solver: string; readonly usd: string; readonly reference: string }

export async function receivedCommand({ solver, usd, reference, ...place }: ReceivedOptions, terminal: Terminal): Promise<void> {
  await withBooks(place, async ({ db }) => {
    const usdMicros = parseUsd(usd)
    const isNew = await recordSolverPayment(db, { solverId: solver, reference, usdMicros })
    const waiting = (await readCollected(db)).find(({ solverId }) => solverId === solver)?.waitingUsdMicros ?? 0n
    if (place.json === true)
      return terminal.answer(JSON.stringify({ solver_id: solver, reference, is_new: isNew, waiting_usd: formatUsd(waiting) }))
    terminal.answer(
      isNew
        ? `${formatUsd(usdMicros)} USD of ${solver} are recorded; it has not paid in ${formatUsd(waiting)}`
        : `the payment "${reference}" of ${solver} was recorded before: nothing changes`,
    )
  })
}

/** The amount is rounded down to millionths, so that no more is paid out than came in. */
function parseUsd(text: string): bigint {
  const match = /^([0-9]{1,12})(?:\.([0-9]{1,6}))?$/.exec(text)
  const micros = match === null ? 0n : BigInt(match[1] ?? '0') * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0'))
  if (micros === 0n) throw new Error(`--usd must be an amount of dollars such as 120.50, got "${text}"`)
  return micros
}

/** This pays in what is missing, or `--amount`. Without `--amount` it is safe to repeat, because then nothing is missing. */
export async function fundCommand(options: FundOptions, terminal: Terminal): Promise<void> {
  await withBooks(options, async (context) => {
    const asset = options.asset.toLowerCase() as BalanceSheet['asset']
    const payer = payerOf(context, asset)
    if (payer === null) throw new Error(`no contract pays affiliates in "${asset}" here: name an active asset, as GET /assets lists it`)
    const { client, distributor, key } = payer
    await client.verifyNode()
    const contract = distributor.contractOf(key)
    const amount = options.amount === undefined ? await missingOf(context, asset) : parseAmount(options.amount, '--amount')
    if (amount === 0n) return terminal.answer(`${contract} holds all that is due in ${asset}: nothing is sent`)
    if (options.dryRun === true) return terminal.answer(`${amount} ${asset} would be paid to ${contract}`)
    const payingKey = await readKey(options, client.curve)
    const signer = payingKey.signerFor({ kind: 'fund', chain: client.chain.id, asset, contract, amount })
    const tx = await distributor.fund({ key, asset, amount, signer, onProgress: terminal.note })
    terminal.answer(
      options.json === true
        ? JSON.stringify({ asset, contract, amount: amount.toString(), tx })
        : `paid ${amount} ${asset} to ${contract} in ${tx}`,
    )
  })
}

async function missingOf(context: BookContext, asset: BalanceSheet['asset']): Promise<bigint> {
  const sheet = (await readBalanceSheets(context)).find((one) => one.asset === asset)
  return sheet?.payer?.missing ?? 0n
}

/** Resolves to false if anything does not agree. */
export async function reconcileCommand(options: Place, terminal: Terminal): Promise<boolean> {
  return withBooks(options, async (context) => {
    const ledger = (await auditLedger(context.db)).map(({ problem, count, example }) => `${count} × ${problem}, e.g. ${example}`)
    const chains = (await readBalanceSheets(context)).flatMap(problemsOf)
    const problems = [...ledger, ...chains]
    if (options.json === true) terminal.answer(JSON.stringify({ problems }, null, 2))
    else terminal.answer(problems.length === 0 ? 'Orders, ledger, totals and payments agree.' : problems.join('\n'))
    return problems.length === 0
  })
}

function problemsOf({ asset, due, payer, overpaid, unpayable }: BalanceSheet): readonly string[] {
  const unfunded =
    payer === null
      ? due > 0n && `${due} ${asset} are owed, and no contract pays affiliates on this chain: pay them by hand`
      : !payer.isDeployed
        ? `the contract of ${asset}, ${payer.contract}, is not deployed: tandem deploy --distributor`
        : payer.missing > 0n && `${payer.contract} lacks ${payer.missing} ${asset}: tandem earnings fund --asset ${asset}`
  return [
    ...(unfunded === false ? [] : [unfunded]),
    ...overpaid.map((affiliate) => `${affiliate} was paid more ${asset} than the ledger says it earned`),
    ...unpayable,
  ]
}

async function withBooks<T>({ config: path }: Place, work: (context: BookContext) => Promise<T>): Promise<T> {
  const loaded = await loadConfig(ServiceConfig, configPath(path))
  const { earnings, database_url } = loaded.config
  if (earnings === undefined) throw new Error('the configuration has no "earnings": docs/affiliates.md says how to pay affiliates')
  const keys = await readPublicKeyring(earnings.signing_key, loaded)
  const { registry, clients, close } = await createNetwork(await networkSettings(loaded))
  const db = await openDatabase(await loaded.readSecret(database_url))
  try {
    await markOwnPaidIn(db, earnings.own_solvers ?? [])
    return await work({ db, registry, clients, keys })
  } finally {
    await close()
    await db.destroy()
  }
}

const HEADINGS = ['asset', 'affiliates', 'earned', 'waiting', 'paid', 'due', 'held', 'missing', 'contract']

const cellsOf = ({ asset, affiliates, earned, waiting, paid, due, payer }: BalanceSheet): readonly string[] => [
  asset,
  String(affiliates),
  String(earned),
  String(waiting),
  String(paid),
  String(due),
  payer === null ? '-' : String(payer.held),
  payer === null ? '-' : String(payer.missing),
  payer === null ? 'none' : `${payer.contract}${payer.isDeployed ? '' : ' (not deployed)'}`,
]

const sheetToJson = ({ asset, affiliates, earned, waiting, paid, due, payer, overpaid, unpayable }: BalanceSheet) => ({
  asset,
  affiliates,
  earned: String(earned),
  waiting: String(waiting),
  paid: String(paid),
  due: String(due),
  overpaid,
  unpayable,
  ...(payer !== null && {
    contract: payer.contract,
    is_deployed: payer.isDeployed,
    held: String(payer.held),
    missing: String(payer.missing),
  }),
})
