/** `tandem apps` creates, lists and changes integrators' apps in the service's database. */
import type { AppApproval, AppPermission, AppSettings } from '@tandem/party/store/apps/app-settings.ts'
import { createApp, type ListedApp, listApps, rotateApp, setAppDisabled, updateApp } from '@tandem/party/store/apps/apps.ts'
import { type ConfigOption, withDatabase } from './config-path.ts'
import { formatTable, type Terminal } from './terminal.ts'

export type AppOptions = ConfigOption & {
  readonly slippage?: string
  readonly sponsorship?: boolean
  readonly sponsoredPerDay?: string
  readonly approval?: string
  readonly rateLimit?: string
  /** False means that no web page may use the id. */
  readonly origin?: readonly string[] | false
  readonly permissions?: string
}

export async function createAppCommand(name: string, options: AppOptions, terminal: Terminal): Promise<void> {
  const settings = settingsOf(options)
  const { appId, app } = await withDatabase(options, (db) => createApp(db, name, settings))
  terminal.answer(appId)
  terminal.note(`This is the id of "${app.name}", for the header service-app-id. It is shown only now and stored nowhere.`)
}

export async function listAppsCommand(options: ConfigOption & { readonly json?: boolean }, terminal: Terminal): Promise<void> {
  const apps = await withDatabase(options, listApps)
  if (options.json) terminal.answer(JSON.stringify(apps.map(recordOf), null, 2))
  else if (apps.length === 0) terminal.note('There are no apps yet: `tandem apps create NAME` creates one.')
  else terminal.answer(formatTable([HEADINGS, ...apps.map(cellsOf)]))
}

export async function updateAppCommand(name: string, options: AppOptions, terminal: Terminal): Promise<void> {
  const settings = settingsOf(options)
  if (Object.keys(settings).length === 0) throw new Error('name a setting to change; `tandem apps update --help` lists them')
  await withDatabase(options, (db) => updateApp(db, name, settings))
  terminal.note(`"${name}" is changed; a running service applies it within seconds.`)
}

export async function rotateAppCommand(name: string, options: ConfigOption, terminal: Terminal): Promise<void> {
  const { appId } = await withDatabase(options, (db) => rotateApp(db, name))
  terminal.answer(appId)
  terminal.note(`This is the new id of "${name}"; the old one stops working within seconds. It is shown only now and stored nowhere.`)
}

export async function setAppDisabledCommand(name: string, disabled: boolean, options: ConfigOption, terminal: Terminal): Promise<void> {
  await withDatabase(options, (db) => setAppDisabled(db, name, disabled))
  terminal.note(
    disabled
      ? `"${name}" is disabled: its id is refused within seconds; its orders continue to their end.`
      : `"${name}" is enabled: its id works again within seconds.`,
  )
}

function settingsOf(options: AppOptions): Partial<AppSettings> {
  const { slippage, sponsorship, sponsoredPerDay, approval, rateLimit, origin, permissions } = options
  return {
    ...(slippage !== undefined && { defaultSlippageBips: parseWhole('--slippage', slippage) }),
    ...(sponsorship !== undefined && { sponsorship }),
    ...(sponsoredPerDay !== undefined && {
      sponsoredPerDay: sponsoredPerDay === 'unlimited' ? null : parseWhole('--sponsored-per-day', sponsoredPerDay),
    }),
    // The store refuses unknown approvals and permissions.
    ...(approval !== undefined && { approval: approval as AppApproval }),
    ...(rateLimit !== undefined && { rateLimitPerMinute: rateLimit === 'default' ? null : parseWhole('--rate-limit', rateLimit) }),
    ...(origin !== undefined && { allowedOrigins: [...new Set(origin || [])] }),
    ...(permissions !== undefined && { permissions: [...new Set(permissions.split(',').map((name) => name.trim() as AppPermission))] }),
  }
}

function parseWhole(option: string, text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new Error(`${option} takes a whole number, got "${text}"`)
  return Number(text)
}

const recordOf = (app: ListedApp) => ({
  name: app.name,
  default_slippage_bips: app.defaultSlippageBips,
  sponsorship: app.sponsorship,
  sponsored_per_day: app.sponsoredPerDay,
  approval: app.approval,
  rate_limit_per_minute: app.rateLimitPerMinute,
  allowed_origins: app.allowedOrigins,
  permissions: app.permissions,
  disabled: app.disabled,
  created_at: app.createdAt.toISOString(),
})

const HEADINGS = ['name', 'state', 'permissions', 'slippage', 'sponsored', 'approval', 'per minute', 'created', 'origins']

const cellsOf = (app: ListedApp): readonly string[] => [
  app.name,
  app.disabled ? 'disabled' : 'enabled',
  app.permissions.join(','),
  `${app.defaultSlippageBips} bips`,
  sponsoredOf(app),
  app.approval,
  String(app.rateLimitPerMinute ?? 'default'),
  app.createdAt.toISOString().slice(0, 10),
  app.allowedOrigins.join(' ') || 'none',
]

function sponsoredOf({ sponsorship, sponsoredPerDay }: ListedApp): string {
  if (!sponsorship) return 'no'
  return sponsoredPerDay === null ? 'unlimited' : `${sponsoredPerDay} a day`
}
