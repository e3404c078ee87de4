/** A second operator approves one large withdrawal with a key that no machine of the first one has. An approval is a file, and the journal notes its use. */
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createVerifyingKey, type SigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { WithdrawalContext } from './policy/withdrawal.ts'

const Approval = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64 }),
    pays: Type.String({ maxLength: 1_000 }),
    public_key: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    signature: Type.String({ maxLength: 100 }),
  },
  { additionalProperties: false },
)
export type Approval = Static<typeof Approval>

const isApproval = Compile(Approval)
const MAX_FILES = 1_000

export function createApproval(key: SigningKey, pays: string): Approval {
  const id = randomUUID()
  return { id, pays, public_key: key.publicKey, signature: key.sign(textOf({ id, pays })) }
}

export function createApprovals(
  folder: string,
  approvers: readonly string[],
  log: Pick<Logger, 'warn'>,
): Pick<WithdrawalContext, 'findApprovals'> {
  const keys = approvers.map(createVerifyingKey)

  async function read(name: string): Promise<Approval | null> {
    try {
      const value: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'))
      if (!isApproval.Check(value)) throw new Error('it is no approval')
      const key = keys.find(({ publicKey }) => publicKey === value.public_key)
      if (key?.verify(textOf(value), value.signature) !== true) throw new Error('no approver of the configuration has signed it')
      return value
    } catch (error) {
      log.warn({ file: name, err: error }, 'a file among the approvals does not count')
      return null
    }
  }

  return {
    async findApprovals(pays) {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      const found = await Promise.all(names.slice(0, MAX_FILES).map(read))
      return found.flatMap((one) => (one !== null && one.pays === pays ? [one.id] : []))
    },
  }
}

/** Names what it is for, so that it is no signature for anything else that such a key signs. */
function textOf({ id, pays }: Pick<Approval, 'id' | 'pays'>): string {
  return `tandem approves a withdrawal\n${id}\n${pays}`
}
