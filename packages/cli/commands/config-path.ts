/** A command's configuration file is by default that of the local stack. This file finds it and opens its database. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { databaseUrlProblem } from '@tandem/party/config/problem-texts.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { LOCAL_FOLDER } from '@tandem/runtime/local-stack.ts'

export type ConfigOption = { readonly config?: string | undefined }

export const configPath = (given: string | undefined): string => pathOf(given, 'service.json')
export const solverConfigPath = (given: string | undefined): string => pathOf(given, 'solver.json')

function pathOf(given: string | undefined, name: string): string {
  if (given !== undefined) return given
  const path = join(LOCAL_FOLDER, name)
  if (existsSync(path)) return path
  throw new Error(`${relative(process.cwd(), path)} does not exist: no local stack was started yet. Name a file with --config`)
}

export async function withDatabase<T>({ config }: ConfigOption, work: (db: Database) => Promise<T>): Promise<T> {
  const loaded = await loadConfig(ServiceConfig, configPath(config), 'database')
  const db = await openDatabase(await loaded.readSecret(loaded.config.database_url))
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

export function databaseServer(): { readonly databaseServerUrl?: string } {
  const url = process.env.DATABASE_URL
  if (url === undefined || url === '') return {}
  const problem = databaseUrlProblem(url)
  if (problem !== null) throw new Error(`the environment variable DATABASE_URL ${problem}`)
  return { databaseServerUrl: url }
}
