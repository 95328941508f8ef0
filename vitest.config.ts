import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: the tool wants one
export default defineConfig({
  test: {
    include: ['server/**/*.test.ts'],
    globalSetup: 'server/test/support/global-setup.ts',
    reporters: ['default', './server/test/support/summary-reporter.ts'],
    testTimeout: 60_000,
    // Hooks start whole servers, on a machine that may be busy: with 30 s two files of a fresh clone's first run were skipped.
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
