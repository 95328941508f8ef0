import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../bench/support/free-port.ts'

/** Whether the program haproxy is installed; .ci/run installs it. */
export const hasHaproxy = (): boolean => {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * A node leaves the rotation when `/readyz` responds with 503, not when a busy machine responds slowly: without `timeout check` the
 * interval is the time limit. No request is repeated.
 */
const configuration = (port: number, nodes: readonly number[]): string => `
global
  maxconn 2000
defaults
  mode http
  timeout connect 5s
  timeout client 120s
  timeout server 120s
  timeout check 10s
  retries 0
frontend clients
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /readyz
  default-server inter 300ms fall 1 rise 1 check
${nodes.map((node, index) => `  server node${index} 127.0.0.1:${node}`).join('\n')}
`

/** Starts haproxy in front of nodes on these ports of 127.0.0.1. */
export async function startHaproxy(nodes: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  const port = await freePort()
  writeFileSync(file, configuration(port, nodes))
  const child = spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const base = `http://127.0.0.1:${port}`
  const isUp = async () => (await fetch(`${base}/healthz`).catch(() => undefined))?.status === 200
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error('haproxy ended: check its configuration')
    await sleep(50)
  }
  return {
    base,
    close: async (): Promise<void> => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
