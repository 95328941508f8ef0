import { defineConfig } from 'vitest/config'
import { CHROMIUM } from './dashboard/e2e/support/chromium.ts'

/** Without a browser the dashboard's tests are left out, but never where everything is checked. */
const withBrowser = CHROMIUM !== undefined || process.env.CI === 'true'
if (!withBrowser) console.warn('There is no Chromium here: the tests of the dashboard are left out.')

// biome-ignore lint/style/noDefaultExport: the tool wants one
export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', ...(withBrowser ? ['dashboard/**/*.test.ts'] : [])],
    globalSetup: 'server/test/support/global-setup.ts',
    reporters: ['default', './server/test/support/summary-reporter.ts'],
    testTimeout: 60_000,
    // Hooks start whole servers, on a machine that may be busy: with 30 s two files of a fresh clone's first run were skipped.
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
