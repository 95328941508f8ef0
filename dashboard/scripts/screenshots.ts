import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `npm run screenshots`: runs the browser tests and writes docs/images and docs/accessibility.md. */
const ROOT = join(import.meta.dirname, '../..')
const REPORT = join(ROOT, 'docs/accessibility.md')

/** Result of one axe run, written by e2e/support/accessible.ts. */
export interface AxeRun {
  readonly page: string
  readonly passed: number
  readonly findings: readonly { readonly id: string; readonly impact: string; readonly nodes: number }[]
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-screenshots-'))
const axeRuns = join(folder, 'axe-runs.jsonl')
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', 'dashboard/e2e'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, SCREENSHOTS: axeRuns },
})
if (status === 0) writeFileSync(REPORT, reportOf(readFileSync(axeRuns, 'utf8').trim().split('\n').map(read)))
rmSync(folder, { recursive: true })
process.exitCode = status ?? 1

function read(line: string): AxeRun {
  return JSON.parse(line) as AxeRun
}

function reportOf(all: readonly AxeRun[]): string {
  const rows = [...Map.groupBy(all, ({ page }) => page)].toSorted(([a], [b]) => a.localeCompare(b)).map(rowOf)
  return `# Accessibility

Results of [axe](https://github.com/dequelabs/axe-core) on the pages of the dashboard, from the last run of \`npm run screenshots\`. All rules run in
light colors, and the contrast rules also in dark colors. The tests check some pages several times, for example with an open dialog. The tests in
\`dashboard/e2e\` fail on serious and critical findings, and if a page scrolls horizontally at 380 pixels.

Beyond axe, \`dashboard/e2e/shell.test.ts\` checks that a navigation moves the focus to the heading of the new page, that the focus returns to the button of a
refused request and is not lost after a decision, that hints are no alerts, and that links, buttons and checkboxes of lists are 24 pixels high (WCAG 2.5.8).

| page | runs | rules passed | serious or critical | moderate or minor |
|---|--:|--:|--:|---|
${rows.join('\n')}
`
}

function rowOf([page, runs]: [string, AxeRun[]]): string {
  const findings = runs.flatMap((run) => run.findings)
  const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const minor = [...new Set(findings.filter((one) => !serious.includes(one)).map(({ id }) => `\`${id}\``))]
  const passed = Math.max(...runs.map((run) => run.passed))
  return `| \`${page}\` | ${runs.length} | ${passed} | ${serious.length} | ${minor.join(', ') || 'none'} |`
}
