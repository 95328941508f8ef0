import { setTimeout as sleep } from 'node:timers/promises'
import { toId } from '../../../server/src/platform/lib/id.ts'
import { checkCalls, checkReleases, checkRepeatedRequests, checkStates } from '../crash-checks.ts'
import { verifyChain } from '../crash-run.ts'
import { startGatehouse } from '../gatehouse.ts'
import { KillApiClient, KillClient, Refusals } from './clients.ts'
import type { KillLedger, Received } from './ledger.ts'
import { type ResumingReader, sendMessage } from './messages.ts'
import type { Postgres } from './postgres.ts'
import type { Setting } from './setting.ts'

const AFTER_LEASE = { script: new URL('../after-lease.ts', import.meta.url), args: [] }
const DELIVERY_MS = 60_000
const REPEATED_MESSAGES = 20

const isMessage = ([, type]: Received): boolean => type === 'message.created'

/** Each reader has received each stored message once and in order. */
export async function checkEvents(postgres: Postgres, ledger: KillLedger, readers: readonly ResumingReader[]): Promise<void> {
  const rows = await postgres.query<{ id: string }>('select id from message order by sequence')
  const stored = rows.map(({ id }) => toId('msg', id))
  const isMissing = () => readers.some(({ received }) => received.filter(isMessage).length < stored.length)
  for (const deadline = performance.now() + DELIVERY_MS; ; await sleep(100)) {
    for (const reader of readers) reader.save()
    if (!isMissing() || performance.now() > deadline) break
  }
  for (const [index, { received }] of readers.entries()) {
    const messages = received.filter(isMessage).map(([, , id]) => id)
    if (messages.join() !== stored.join()) ledger.violated(`reader ${index}: ${differenceOf(stored, messages)}`)
    const ids = received.map(([id]) => id)
    if (ids.some((id, place) => place > 0 && id <= (ids[place - 1] ?? 0)))
      ledger.violated(`reader ${index}: ids of events do not rise`)
    const resets = received.filter(([, type]) => type === 'reset').length
    if (resets > 0) ledger.violated(`reader ${index} received ${resets} reset events`)
  }
}

function differenceOf(stored: readonly string[], received: readonly string[]): string {
  const missing = stored.filter((id) => !received.includes(id)).length
  const twice = received.length - new Set(received).size
  return `events of ${received.length} of ${stored.length} messages: ${missing} missing, ${twice} twice, or in another order`
}

/**
 * Checks the alarms of the nodes, stops them, and checks holds, releases and messages with a server whose clock is ahead, so that the
 * claims of killed nodes have ended. Verifies the chain.
 */
export async function checkWithoutKills({ nodes, demo, options, provider, ledger }: Setting): Promise<void> {
  for (const node of nodes) await checkReady(node.port, ledger)
  for (const node of nodes) await node.stop()
  const server = await startGatehouse({ ...options, program: AFTER_LEASE })
  const shared = { entrance: { port: server.port, demo }, ledger, refusals: new Refusals() }
  const client = new KillClient(shared)
  const checked = { client, ledger }
  try {
    await checkStates(checked)
    checkCalls(ledger, provider.calls)
    await checkRepeatedRequests(checked)
    await checkReleases(checked)
    for (const hold of ledger.holds) ledger.changed.add(hold)
    await checkStates(checked)
    checkCalls(ledger, provider.calls)
    await checkReplays(new KillApiClient(shared), ledger)
  } finally {
    await client.close()
    await server.stop()
  }
  await verifyChain(options, ledger)
}

/** No node has raised the alarm about the audit log. */
async function checkReady(port: number, ledger: KillLedger): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`)
  const { checks } = (await response.json()) as { checks: { name: string; status: string }[] }
  const failing = checks.filter(({ status }) => status !== 'ok')
  if (failing.length > 0) ledger.violated(`/readyz: ${JSON.stringify(failing)}`)
}

/** A message gets the same response when it is sent again with its key. */
async function checkReplays(client: KillApiClient, ledger: KillLedger): Promise<void> {
  const { messages, setup } = ledger
  for (const { user, text, answer } of messages.slice(-REPEATED_MESSAGES)) {
    const token = setup.users.find(({ id }) => id === user)?.token ?? ''
    const again = await sendMessage(client, token, setup.conversation, text)
    if (again?.text !== answer) ledger.violated(`another answer to the same key: ${answer} then ${again?.status} ${again?.text}`)
  }
  await client.close()
}
