import { execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../../bench/support/free-port.ts'
import { recurringJobs } from '../../src/domains/jobs/recurring-jobs.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')
const RULES = join(DEPLOY, 'prometheus/gatehouse-alerts.yaml')
const run = promisify(execFile)
const isInstalled = await run('promtool', ['--version']).then(
  () => true,
  () => false,
)
if (!isInstalled)
  console.warn('There is no Prometheus here (Debian package "prometheus"): alert rules and dashboard queries are not tested.')

interface Panel {
  readonly type: string
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}
interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/gatehouse.json'), 'utf8')) as {
  readonly panels: readonly Panel[]
}
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr]))
const alerts = (parse(readFileSync(RULES, 'utf8')) as RuleFile).groups.flatMap(({ rules }) => rules)

/** Series that exist only after an event, or with a part, that the servers of this test do not have. */
const AFTER_THEIR_EVENT = /provider_refusals_total|gatehouse_budgets|process_restarts|audit_delivery_|outcome="failed"|status!~/

/** The expression with the values that Grafana would insert. */
const inserted = (expr: string): string => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')

/** Starts a Prometheus that scrapes the targets every second. */
async function startPrometheus(folder: string, targets: readonly string[]) {
  const config = join(folder, 'prometheus.yml')
  const scrape = { job_name: 'gatehouse', scrape_interval: '1s', static_configs: [{ targets }] }
  writeFileSync(config, JSON.stringify({ rule_files: [RULES], scrape_configs: [scrape] }))
  const address = `127.0.0.1:${await freePort()}`
  const options = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=${address}`]
  const child = spawn('prometheus', [...options, '--log.level=error'], { stdio: 'ignore' })
  const query = async (expr: string) => {
    const response = await fetch(`http://${address}/api/v1/query?${new URLSearchParams({ query: expr })}`)
    return (await response.json()) as { status: string; error?: string; data?: { result: readonly unknown[] } }
  }
  return { query, close: () => child.kill('SIGKILL') }
}

describe.skipIf(!isInstalled)('Prometheus', { timeout: 240_000 }, () => {
  const folder = temporaryFolder()
  let nodes: Governed[]
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>
  beforeAll(async () => {
    nodes = await Promise.all([startGoverned(), startGoverned()])
    prometheus = await startPrometheus(
      folder,
      nodes.map(({ server }) => server.base.replace('http://', '')),
    )
  })
  afterAll(async () => {
    prometheus?.close()
    await Promise.all((nodes ?? []).map((node) => node.close()))
  })

  test('alert rules: promtool accepts them, and each alert fires with its fault and not on a healthy node', async () => {
    expect((await run('promtool', ['check', 'rules', RULES])).stdout).toContain(`SUCCESS: ${alerts.length} rules found`)
    const tests = join(DEPLOY, 'prometheus/gatehouse-alerts.test.yaml')
    expect((await run('promtool', ['test', 'rules', tests])).stdout).toContain('SUCCESS')
    const tested = readFileSync(tests, 'utf8')
    for (const { alert } of alerts) expect(tested).toContain(`name: ${alert} fires`)
  })

  test('alert rules and dashboard: each expression is valid, and has data from all nodes when its metrics exist', async () => {
    const expressions = [...queries, ...alerts.map(({ alert, expr }): [string, string] => [alert, expr])]
    expect(expressions.length).toBeGreaterThan(40)
    const measured = queries.filter(([, expr]) => !AFTER_THEIR_EVENT.test(expr))
    await vi.waitFor(
      async () => {
        for (const node of nodes) {
          expectSuccess(await node.chat('Good morning', { model: 'scripted' }))
          for (const job of recurringJobs(node.server.context).filter(({ name }) => name === 'measure queues')) {
            await job.run()
            node.server.context.onJobRun(job.name, true)
          }
        }
        const empty: string[] = []
        for (const [title, expr] of measured) {
          const { data } = await prometheus.query(inserted(expr))
          if (data?.result.length === 0) empty.push(`${title}: ${expr}`)
        }
        expect(empty).toEqual([])
      },
      { timeout: 200_000, interval: 2_000 },
    )
    for (const [title, expr] of expressions) {
      const { status, error } = await prometheus.query(inserted(expr))
      expect([title, status, error]).toEqual([title, 'success', undefined])
    }
    const { data } = await prometheus.query('sum by (instance) (gatehouse_info)')
    expect(data?.result).toHaveLength(nodes.length)
  })
})
