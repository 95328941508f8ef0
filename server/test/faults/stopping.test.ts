import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { startBalancer } from '../support/balancer.ts'
import { postgresUrl } from '../support/database.ts'
import { startLoad } from '../support/load.ts'
import { cleanupsAfterEach, nodeEnvironment, openLimits, postChat } from '../support/nodes.ts'
import { adminOf, firstApiKey, measureStop, startOneNode } from '../support/one-node.ts'
import { says } from '../support/scripted-provider.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const NEXT_VERSION = fileURLToPath(new URL('../support/next-version.ts', import.meta.url))
const url = postgresUrl()

const cleanups = cleanupsAfterEach()

const oneNode = (env?: Readonly<Record<string, string>>) => startOneNode(cleanups, env)

describe('server that gets a stop signal', { timeout: 240_000 }, () => {
  test('serve: ends with exit code 0 without waiting when only idle connections and event streams are open', async () => {
    const { server } = await oneNode()
    const silent = connect(Number(new URL(server.base).port), '127.0.0.1')
    silent.on('error', () => {})
    const events = await fetch(`${server.base}/admin/v1/reviews/events`, {
      headers: { authorization: `Bearer ${server.demo().admin_token}` },
    })
    expect(events.status).toBe(200)
    await sleep(300)
    expect(await measureStop(server)).toBeLessThan(30_000)
    expect(server.own.child.exitCode).toBe(0)
    expect(await events.text()).toContain('event: reset')
    silent.destroy()
  })

  test('serve: request gets 503 and is recorded as 503 when it outlasts the drain', async () => {
    const { server, provider, restart } = await oneNode({ GATEHOUSE_STOP_SECONDS: '0.5' })
    provider.on('never-answered', () => {})
    const waiting = postChat(server.base, firstApiKey(server), 'never-answered')
    while (provider.callsWith('never-answered').length === 0) await sleep(20)
    expect(await measureStop(server)).toBeLessThan(20_000)
    const response = await waiting
    const { error } = (await response.json()) as { error: { code: string; audit_id: string } }
    expect([response.status, error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(response.headers.get('retry-after')).toBe('1')
    expect(server.own.child.exitCode).toBe(0)

    const again = await restart()
    const record = JSON.stringify(await adminOf(again).get(`/audit/${error.audit_id}`))
    expect(record).toContain('"status":503')
    expect(record).not.toContain('"status":200')
  })

  test('serve: request that waits for approval gets 409, and the hold is pending after the restart', async () => {
    const { server, restart } = await oneNode()
    const content = 'Please transfer 12,000 euros to account 4711 today.'
    const waiting = postChat(server.base, firstApiKey(server), content, {
      model: 'demo-mini',
      governance: { wait_for_approval_seconds: 120 },
    })
    const pending = async (of: ServerProcess): Promise<{ id: string }[]> => (await adminOf(of).get('/reviews?state=pending')).data
    const known = (await pending(server)).length
    while ((await pending(server)).length === known) await sleep(50)
    expect(await measureStop(server)).toBeLessThan(30_000)
    expect(server.own.child.exitCode).toBe(0)
    const response = await waiting
    const { error } = (await response.json()) as { error: { code: string; review_item_id: string } }
    expect([response.status, error.code]).toEqual([409, 'POLICY_REVIEW_PENDING'])

    const again = await restart()
    expect((await pending(again)).map(({ id }) => id)).toContain(error.review_item_id)
  })

  test('serve: running request finishes with Connection: close and /readyz gets 503 when the drain begins', async () => {
    const { server, provider } = await oneNode({ GATEHOUSE_DRAIN_SECONDS: '15' })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    provider.on('slow-answer', (...exchange) => void released.then(() => says('done')(...exchange)))
    const waiting = postChat(server.base, firstApiKey(server), 'slow-answer')
    while (provider.callsWith('slow-answer').length === 0) await sleep(20)
    const ended = measureStop(server)
    await vi.waitFor(async () => expect((await server.readyz())?.status).toBe(503), { timeout: 12_000, interval: 20 })
    expect((await server.readyz())?.body.checks.find(({ name }) => name === 'accepting')?.status).toBe('fail')
    const late = await postChat(server.base, firstApiKey(server), 'still accepted')
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close'])
    release()
    const response = await waiting
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
    expect(await response.text()).toContain('done')
    await ended
    expect(server.own.child.exitCode).toBe(0)
  })

  test('serve: ends at once when a second signal arrives', async () => {
    const { server, provider } = await oneNode({ GATEHOUSE_STOP_SECONDS: '60' })
    provider.on('never-answered', () => {})
    postChat(server.base, firstApiKey(server), 'never-answered').catch(() => {})
    while (provider.callsWith('never-answered').length === 0) await sleep(20)
    server.own.child.kill('SIGTERM')
    await sleep(500)
    expect(server.own.hasEnded()).toBe(false)
    expect(await measureStop(server, 'SIGINT')).toBeLessThan(30_000)
    expect(server.own.child.exitCode).not.toBe(0)
  })
})

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('two nodes behind a load balancer', { timeout: 400_000 }, () => {
  async function twoNodes() {
    const balancer = await startBalancer()
    const env = { ...(await nodeEnvironment(url, cleanups)).env, GATEHOUSE_DRAIN_SECONDS: '2' }
    cleanups.push(balancer.close)
    const start = async (main?: string) => {
      const node = await startServerProcess(env, main)
      cleanups.push(node.remove)
      balancer.add(node.base)
      return node
    }
    const first = await start()
    const nodes = [first, await start()]
    await balancer.ready(2)
    await openLimits({ ...first, base: balancer.base })
    const { admin_token, applications } = first.demo()
    return { nodes, start, balancer, key: applications[0]?.api_key, admin_token }
  }

  /** Starts clients that send requests without a pause. The returned function stops them and reports the failures. */
  function startClients(base: string, key: string | undefined, adminToken: string) {
    const failed: string[] = []
    let answered = 0
    const note = async (response: Response | undefined, kind: string): Promise<void> => {
      const text = await response?.text().catch(() => 'cut')
      if (response?.status === 200) answered += 1
      else failed.push(`${kind} ${response?.status} ${text?.slice(0, 200)}`)
    }
    const clients = Array.from({ length: 4 }, (_, client) => async (round: number) => {
      await note(await postChat(base, key, `hello ${client} ${round}`, { model: 'demo-mini' }).catch(() => undefined), 'chat')
      const headers = { authorization: `Bearer ${adminToken}` }
      if (round % 4 === 0) await note(await fetch(`${base}/admin/v1/applications`, { headers }).catch(() => undefined), 'admin')
    })
    const stop = startLoad(clients)
    return async () => {
      await stop()
      return { failed, answered }
    }
  }

  test('serve: no request fails when each of two nodes is restarted under load', async () => {
    const { nodes, start, balancer, key, admin_token } = await twoNodes()
    const stop = startClients(balancer.base, key, admin_token)
    for (const node of nodes) {
      await sleep(500)
      expect(await node.stop()).toBe(0)
      await start()
      await balancer.ready(2)
    }
    const { failed, answered } = await stop()
    expect(failed).toEqual([])
    expect(answered).toBeGreaterThan(50)
  })

  test('migrate: no request fails when the next version migrates and the old version restarts beside it', async () => {
    const { nodes, start, balancer, key, admin_token } = await twoNodes()
    const stop = startClients(balancer.base, key, admin_token)
    await sleep(500)
    await start(NEXT_VERSION)
    await balancer.ready(3)
    await sleep(1_000)
    expect(await nodes[0]?.stop()).toBe(0)
    const old = await start()
    await balancer.ready(3)
    expect(old.output()).toContain('the schema of the database is newer than this version')
    await sleep(1_000)
    const { failed, answered } = await stop()
    expect(failed).toEqual([])
    expect(answered).toBeGreaterThan(50)
  })
})
