import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{src,devnet,contracts,test,demo,bench,docs}/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
})
