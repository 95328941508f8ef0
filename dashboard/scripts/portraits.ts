import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `npm run screenshots`: the browser's tests once more, with pictures of every page into docs/images and what axe found into
 * docs/accessibility.md.
 */
const ROOT = join(import.meta.dirname, '../..')
const REPORT = join(ROOT, 'docs/accessibility.md')

/** What e2e/support/accessible.ts notes of a page each time it looks at it. */
export interface Look {
  readonly page: string
  readonly passed: number
  readonly findings: readonly { readonly id: string; readonly impact: string; readonly nodes: number }[]
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-portraits-'))
const looks = join(folder, 'looks.jsonl')
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', 'dashboard/e2e'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, PORTRAITS: looks },
})
if (status === 0) writeFileSync(REPORT, reportOf(readFileSync(looks, 'utf8').trim().split('\n').map(read)))
rmSync(folder, { recursive: true })
process.exitCode = status ?? 1

function read(line: string): Look {
  return JSON.parse(line) as Look
}

function reportOf(all: readonly Look[]): string {
  const rows = [...Map.groupBy(all, ({ page }) => page)].toSorted(([a], [b]) => a.localeCompare(b)).map(rowOf)
  return `# Accessibility

What [axe](https://github.com/dequelabs/axe-core) found on the dashboard's pages, in light colours (every rule) and in dark ones (contrast), when the
pictures in \`images/\` were last taken (\`npm run screenshots\`). A page counts as often as a test looked at it: with dialogs open, with errors
shown. The tests in \`dashboard/e2e\` fail at a finding that axe calls serious or critical, and at a page that scrolls sideways at 380 pixels.

| page | looks | rules passed | serious or critical | moderate or minor |
|---|--:|--:|--:|---|
${rows.join('\n')}
`
}

function rowOf([page, looks]: [string, Look[]]): string {
  const findings = looks.flatMap((look) => look.findings)
  const grave = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const lesser = [...new Set(findings.filter((one) => !grave.includes(one)).map(({ id }) => `\`${id}\``))]
  const passed = Math.max(...looks.map((look) => look.passed))
  return `| \`${page}\` | ${looks.length} | ${passed} | ${grave.length} | ${lesser.join(', ') || 'none'} |`
}
