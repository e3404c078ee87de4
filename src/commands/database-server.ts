/** The PostgreSQL server of the local stack: the one that DATABASE_URL names; without it, the embedded one. */
export function databaseServer(): { readonly databaseServerUrl?: string } {
  const url = process.env.DATABASE_URL
  return url === undefined || url === '' ? {} : { databaseServerUrl: url }
}
