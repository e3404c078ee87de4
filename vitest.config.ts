import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

export default defineConfig({
  test: {
    include: ['{src,devnet,contracts,test,demo,bench,docs,examples,sdk,web}/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    // Tests wait for chains, processes and browsers a quarter of their time: three keep two cores busy.
    maxWorkers: 3,
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
