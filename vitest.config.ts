import { defineConfig } from 'vitest/config'
import { CHROMIUM } from './dashboard/e2e/support/chromium.ts'

/** Without a browser the dashboard's tests are left out, but never where everything is checked. */
const withBrowser = CHROMIUM !== undefined || process.env.CI === 'true'
if (!withBrowser) console.warn('There is no Chromium here: the tests of the dashboard are left out.')

const BUILD = 'dashboard/e2e/support/build.ts'

const project = (name: string, include: string, more: object) =>
  ({ extends: true, test: { name, include: [include], ...more } }) as const

// biome-ignore lint/style/noDefaultExport: the tool wants one
export default defineConfig({
  test: {
    globalSetup: 'server/test/support/global-setup.ts',
    reporters: ['default', './server/test/support/summary-reporter.ts'],
    testTimeout: 60_000,
    // Hooks start whole servers, on a machine that may be busy: with 30 s two files of a fresh clone's first run were skipped.
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      project('units', 'server/src/**/*.test.ts', { isolate: false }),
      // Files of sections share a server through a module: each file gets modules of its own.
      project('server', 'server/test/**/*.test.ts', { isolate: true }),
      // One browser serves all files of a worker.
      ...(withBrowser ? [project('dashboard', 'dashboard/**/*.test.ts', { isolate: false, globalSetup: BUILD })] : []),
    ],
  },
})
