/** Binds a database to one party and one vault key. Another party on it would take the rows of the first for its own. */
import type { Sealer } from '../orders/sealed-values.ts'
import { nullable, oneOf, shape, text, type ValueOf } from './columns.ts'
import type { Database } from './database.ts'

type Owner =
  | {
      readonly party: 'service'
      readonly sealer: Pick<Sealer, 'authenticate' | 'publicKey'>
      /** The keys of `sealer` are from this setting. */
      readonly setting: 'vault_key' | 'sealing'
    }
  | { readonly party: 'solver' }

const VAULT_CHECK = 'the vault key of this database'

/** The first party that starts on a database owns it. Throws for another one, and for a service with another vault key. */
export async function claimDatabase(db: Database, owner: Owner): Promise<void> {
  const found = (await readOwner(db)) ?? (await becomeOwner(db, owner.party, vaultCheckOf(owner)))
  const refusal = whyNotOwner(found, owner)
  if (refusal !== null) throw new Error(`${refusal.setting} ${refusal.problem}. ${refusal.advice}`)
}

/** `problem` is a phrase whose subject is the setting. */
export type OwnerRefusal = { readonly setting: 'database_url' | 'vault_key' | 'sealing'; readonly problem: string; readonly advice: string }

export function whyNotOwner(found: Recorded, owner: Owner): OwnerRefusal | null {
  if (found.party !== owner.party)
    return {
      setting: 'database_url',
      problem: `names the database of a ${found.party}, and this is a ${owner.party}: nothing was changed in it`,
      advice: 'Give each party a database of its own',
    }
  if (owner.party === 'service' && found.vault_check !== vaultCheckOf(owner))
    return {
      setting: owner.setting,
      problem:
        'is not the key that this database was made with, or an older version made it, which sealed otherwise: the secrets and keys of its orders cannot be read with it',
      advice: 'Use the former key, or another database',
    }
  return null
}

function vaultCheckOf(owner: Owner): string | null {
  if (owner.party === 'solver') return null
  // The public key is part of it: values that an API seals to a wrong one could never be opened.
  return owner.sealer.authenticate(`${VAULT_CHECK}, sealing to ${owner.sealer.publicKey}`)
}

export const ownerRow = shape({ party: oneOf<Owner['party']>({ service: true, solver: true }), vault_check: nullable(text) })
export type Recorded = ValueOf<typeof ownerRow>

async function readOwner(db: Database): Promise<Recorded | null> {
  return (await db.selectFrom('database_owner').select(['party', 'vault_check']).executeTakeFirst()) ?? null
}

/** Another process may be the first at the same moment. */
async function becomeOwner(db: Database, party: Owner['party'], vaultCheck: string | null): Promise<Recorded> {
  const row = { party, vault_check: vaultCheck }
  await db
    .insertInto('database_owner')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readOwner(db)) ?? row
}
