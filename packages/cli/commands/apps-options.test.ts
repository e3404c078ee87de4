import { Command } from 'commander'
import { expect, test, vi } from 'vitest'
import type * as commands from './apps.ts'
import { registerApps } from './apps-options.ts'

const called = vi.hoisted(() => [] as unknown[][])
vi.mock('./apps.ts', () => {
  const record =
    (name: string) =>
    async (...args: unknown[]) =>
      void called.push([name, ...args.slice(0, -1)])
  return {
    createAppCommand: record('create'),
    listAppsCommand: record('list'),
    updateAppCommand: record('update'),
    rotateAppCommand: record('rotate'),
    setAppDisabledCommand: record('disabled'),
  } satisfies Record<keyof typeof commands, unknown>
})

async function type(line: string): Promise<unknown[] | undefined> {
  const program = new Command()
  registerApps(program)
  await program.parseAsync(['apps', ...line.split(' ')], { from: 'user' })
  return called.pop()
}

test.each<[string, unknown[]]>([
  ['create shop', ['create', 'shop', {}]],
  [
    'create shop -c s.json --slippage 7 --no-sponsorship --sponsored-per-day 5 --approval unlimited --rate-limit 90 --origin https://a.example https://b.example --permissions read',
    [
      'create',
      'shop',
      {
        config: 's.json',
        slippage: '7',
        sponsorship: false,
        sponsoredPerDay: '5',
        approval: 'unlimited',
        rateLimit: '90',
        origin: ['https://a.example', 'https://b.example'],
        permissions: 'read',
      },
    ],
  ],
  ['update shop --sponsorship --no-origin', ['update', 'shop', { sponsorship: true, origin: false }]],
  [
    'update shop --origin https://a.example --origin https://b.example',
    ['update', 'shop', { origin: ['https://a.example', 'https://b.example'] }],
  ],
  ['list --json', ['list', { json: true }]],
  ['rotate shop --config s.json', ['rotate', 'shop', { config: 's.json' }]],
  ['disable shop', ['disabled', 'shop', true, {}]],
  ['enable shop', ['disabled', 'shop', false, {}]],
])('apps %s', async (line, expected) => {
  expect(await type(line)).toEqual(expected)
})
