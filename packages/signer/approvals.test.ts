/** Tests that only an approver of the configuration approves, and only what the approval says. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomPrivateKey } from '@tandem/keys/keyring.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApproval, createApprovals } from './approvals.ts'

const [approver, stranger] = [createSigningKey(randomPrivateKey('ed25519')), createSigningKey(randomPrivateKey('ed25519'))]
const PAYS = '5 ethereum:usdc on ethereum to 0xabc'

let folder: string
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'tandem-approvals-')), 'approvals')
})
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

const warned: unknown[] = []
const find = (pays = PAYS) =>
  createApprovals(folder, [approver.publicKey], { warn: (about: object) => void warned.push(about) }).findApprovals(pays)

async function put(name: string, value: unknown): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
}

test('an approval is for what it says, and there is none without a folder', async () => {
  expect(await find()).toEqual([])
  const approval = createApproval(approver, PAYS)
  await put('one', approval)
  expect(await find()).toEqual([approval.id])
  expect(await find(PAYS.replace('5', '50'))).toEqual([])
})

test('a changed one, one of a stranger and what is none do not count, and are logged', async () => {
  const approval = createApproval(approver, PAYS)
  const wrong = [
    { ...approval, id: 'another' },
    { ...createApproval(approver, PAYS.replace('5', '1')), pays: PAYS },
    createApproval(stranger, PAYS),
    { ...createApproval(stranger, PAYS), public_key: approver.publicKey },
    { ...approval, more: 1 },
    'no JSON',
  ]
  for (const [index, value] of wrong.entries()) await put(`${index}`, value)
  warned.length = 0
  expect(await find()).toEqual([])
  expect(warned).toHaveLength(wrong.length)
})
