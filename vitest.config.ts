import { existsSync, globSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { CHROMIUM } from './dashboard/e2e/support/chromium.ts'

/** Without a browser the dashboard's tests are left out, but never where everything is checked. */
const withBrowser = CHROMIUM !== undefined || process.env.CI === 'true'
if (!withBrowser) console.warn('There is no Chromium here: the tests of the dashboard are left out.')

/**
 * Test folders are kept in memory where there is room for them. Each server of a test copies a data folder of 42 MB and 1,400 files, which
 * takes a fifth of the time on a disk. A Docker container has only 64 MB there.
 */
const MEMORY_FOLDER = '/dev/shm'
if (existsSync(MEMORY_FOLDER)) {
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  if (bavail * bsize > 4 * 2 ** 30) process.env.TMPDIR ??= MEMORY_FOLDER
}

/** A worker holds a server with an embedded database, and at times a second one or a browser. */
const BYTES_PER_WORKER = 2 ** 31
/** One more than there are cores: for half of its time a worker waits for its database, a timer or a password hash. Two more take a tenth longer. */
const maxWorkers = Math.max(1, Math.min(availableParallelism() + 1, Math.floor(totalmem() / BYTES_PER_WORKER)))

/** `npm test` runs these with few cases, `npm run test:full` with all of them. */
const SCALED = [
  'server/src/domains/classification/hostile-texts.test.ts',
  'server/test/fuzz/**/*.test.ts',
  'server/test/gateway/windowed-release-pairs.test.ts',
  'server/test/growth/*.test.ts',
  'server/test/contract/messaging/equivalence.test.ts',
  'server/test/faults/concurrent-memory.test.ts',
  'server/test/faults/messaging-crowd.test.ts',
]
/**
 * Left to `npm run test:full`: first starts, servers in processes of their own that are stopped, killed, frozen or restarted, floods, every older
 * schema, thousands of probes, and tests that wait for seconds.
 */
const FULL_ONLY = [
  'server/src/tools/cli/cli-ingest.test.ts',
  'server/src/platform/db/database-maintenance.test.ts',
  'server/src/platform/db/embedded.test.ts',
  'server/src/platform/db/migrate.test.ts',
  'server/src/tools/demo*/*.test.ts',
  'server/src/domains/knowledge/visibility.test.ts',
  'server/src/domains/memory/erase.test.ts',
  'server/src/domains/providers/invoke-breaker.test.ts',
  'server/src/domains/providers/invoke-time.test.ts',
  'server/src/tools/start/prepare.test.ts',
  'server/test/admin/policy-checks.test.ts',
  'server/test/backup/*.test.ts',
  'server/test/admin/role-matrix.test.ts',
  'server/test/contract/messaging/heartbeat.test.ts',
  'server/test/deploy/bundle.test.ts',
  'server/test/faults/audit-follow-kill.test.ts',
  'server/test/faults/crash.test.ts',
  'server/test/faults/embedded-database.test.ts',
  'server/test/faults/kills.test.ts',
  'server/test/faults/messaging-crash.test.ts',
  'server/test/faults/read-only-folders.test.ts',
  'server/test/faults/processes.test.ts',
  'server/test/faults/rolling-restart.test.ts',
  'server/test/faults/search-flood.test.ts',
  'server/test/faults/shared-budgets.test.ts',
  'server/test/faults/shared-limits.test.ts',
  'server/test/faults/silent-network.test.ts',
  'server/test/faults/stopping*.test.ts',
  'server/test/faults/unreachable-node.test.ts',
  'server/test/faults/upload-kill.test.ts',
  'server/test/growth/list-plans.test.ts',
  'server/test/isolation/hostile-host.test.ts',
  'server/test/isolation/knowledge-and-memory.test.ts',
  'server/test/isolation/side-channel.test.ts',
  'server/test/keys/rotation.test.ts',
  'server/test/admin/self-approval.test.ts',
  'server/test/messaging/retention.test.ts',
  'server/test/messaging/webhook-retries.test.ts',
  'server/test/refusals/text-fields.test.ts',
  'server/test/refusals/every-position*.test.ts',
  'server/test/refusals/waits.test.ts',
  'server/test/setup/restart.test.ts',
  'server/test/setup/secret-keys.test.ts',
  'server/test/setup/start.test.ts',
  'server/test/telemetry/prometheus.test.ts',
]
/** scripts/ci-tests.ts runs all projects in one run, in which a file of SCALED need not run with few cases too. */
const LEFT_TO_FULL = process.env.TEST_ALL_PROJECTS ? [...FULL_ONLY, ...SCALED] : FULL_ONLY
/** Files that take a minute or more. In a fresh clone vitest starts large files first, and at the end one worker would run these small files alone. */
const LONG = [
  'server/test/setup/restart.test.ts',
  'server/test/faults/kills.test.ts',
  'server/test/faults/stopping.test.ts',
  'server/test/faults/shared-budgets.test.ts',
  'server/test/faults/silent-network.test.ts',
  'server/test/fuzz/hostile-queries.test.ts',
  'server/test/deploy/bundle.test.ts',
  'server/test/fuzz/codec-requests.test.ts',
  'server/test/faults/embedded-database.test.ts',
  'server/test/faults/processes.test.ts',
]
/** Starts the files of LONG before the other files of their project. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONG.findIndex((file) => moduleId.endsWith(file))
      return index === -1 ? LONG.length : index
    }
    const sorted = await super.sort(files)
    // Files of a project stay together, because a worker runs one project.
    return sorted.toSorted((a, b) => a.project.name.localeCompare(b.project.name) || rank(a) - rank(b))
  }
}
/** `npm test` runs these on the embedded database, `npm run test:full` on PostgreSQL as well. */
const POSTGRESQL = globSync('server/{src,test}/**/*.test.ts').filter((file) =>
  /testDatabases|newDatabases|freshDatabases|separateDatabases|onDatabases|postgresUrl/.test(readFileSync(file, 'utf8')),
)
/** Tests of the dashboard's sources that need no browser. */
const DASHBOARD_UNITS = ['policies-document', 'reviews-queue', 'vite-proxy'].map((name) => `dashboard/e2e/${name}.test.ts`)

type Databases = readonly ('embedded' | 'postgresql')[]
interface Options {
  readonly isFull?: boolean
  readonly databases?: Databases
  readonly exclude?: readonly string[]
  readonly globalSetup?: string
  readonly testTimeout?: number
}
const project = (
  name: string,
  include: readonly string[],
  { isFull = false, databases = ['embedded'], exclude = [], ...more }: Options = {},
) =>
  // Files of a worker share its modules, its server (server/test/support/shared-server.ts) and its browser.
  ({
    extends: true,
    test: {
      name,
      include: [...include],
      exclude: [...exclude],
      isolate: false,
      provide: { isFull, databases: [...databases] },
      ...more,
    },
  }) as const

/** A check with axe takes 5 s, on a busy machine 20. */
const browser = { globalSetup: './dashboard/e2e/support/build.ts', testTimeout: 300_000 }

/** `npm test` runs `units` and `server`, `npm run test:full` the projects whose name ends with `-full`. */
// biome-ignore lint/style/noDefaultExport: the tool wants one
export default defineConfig({
  test: {
    globalSetup: 'server/test/support/global-setup.ts',
    setupFiles: 'server/test/support/fixed-seed.ts',
    reporters: ['default', './server/test/support/summary-reporter.ts'],
    testTimeout: 60_000,
    // Hooks start whole servers, on a machine that may be busy: with 30 s two files of a fresh clone's first run were skipped.
    hookTimeout: 120_000,
    // By default expect.poll gives up after a second.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    // Optimizing the WebAssembly of each embedded database, or counting calls to inline them, takes more CPU time than the tests save with
    // it. A heap that starts large is collected less often.
    execArgv: [
      '--liftoff-only',
      '--no-wasm-inlining',
      '--min-semi-space-size=8',
      '--max-semi-space-size=32',
      '--initial-old-space-size=1000',
    ],
    // Node runs the sources itself, as it runs the server. Vite rewrites every import, which costs a fifth of the CPU time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      project('units', ['server/src/**/*.test.ts', ...DASHBOARD_UNITS], { exclude: LEFT_TO_FULL }),
      project('server', ['server/test/**/*.test.ts'], { exclude: LEFT_TO_FULL }),
      project('server-full', [...SCALED, ...FULL_ONLY], { isFull: true, databases: ['embedded', 'postgresql'] }),
      ...(process.env.TEST_DATABASE_URL
        ? [project('postgresql-full', POSTGRESQL, { databases: ['postgresql'], exclude: [...SCALED, ...FULL_ONLY] })]
        : []),
      ...(withBrowser
        ? [project('browser-full', ['dashboard/**/*.test.ts'], { ...browser, exclude: DASHBOARD_UNITS, isFull: true })]
        : []),
    ],
  },
})
