import { databaseUrlProblem } from '@tandem/party/config/url-problem.ts'

/** The PostgreSQL server of the local stack: the one that DATABASE_URL names; without it, the embedded one. */
export function databaseServer(): { readonly databaseServerUrl?: string } {
  const url = process.env.DATABASE_URL
  if (url === undefined || url === '') return {}
  const problem = databaseUrlProblem(url)
  if (problem !== null) throw new Error(`the environment variable DATABASE_URL ${problem}`)
  return { databaseServerUrl: url }
}
