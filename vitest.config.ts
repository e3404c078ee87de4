import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

const sdk = join(import.meta.dirname, 'packages', 'sdk', 'src')

export default defineConfig({
  resolve: {
    // The package has the build; tests run the sources, as tsconfig.json says.
    alias: [
      { find: /^@tandem\/sdk$/, replacement: join(sdk, 'index.ts') },
      { find: /^@tandem\/sdk\/node$/, replacement: join(sdk, 'node', 'file-storage.ts') },
    ],
  },
  test: {
    include: ['{packages,test,demo,bench,docs,examples}/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    // Stories wait three quarters of their time, for blocks and for each other's polls: four workers keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Loading chain libraries anew for each of some 200 files would take a fifth of the time.
    isolate: false,
    // What is waited for must happen, however busy the machine is: a limit only ends a test that hangs.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 10_000,
  },
})
