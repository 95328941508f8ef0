import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: the tool wants one
export default defineConfig({
  test: {
    include: ['server/**/*.test.ts'],
    globalSetup: 'server/test/support/global-setup.ts',
    reporters: ['default', './server/test/support/summary-reporter.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
  },
})
