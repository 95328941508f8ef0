import { setTimeout as sleep } from 'node:timers/promises'
import { pick, type Random } from '../random.ts'
import type { KillApiClient, LoadOptions, Running } from './clients.ts'

const PAUSE_MS = 400
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
/** One memory in so many is erased. */
const ERASED = 3

/** Stores memories, each until it is acknowledged, and erases some of them. */
export async function keepMemories(
  { ledger, entrance }: LoadOptions,
  client: KillApiClient,
  random: Random,
  running: Running,
): Promise<void> {
  const { demo } = entrance
  const key = demo.applications[1]?.api_key ?? ''
  let content = newContent(random)
  for (let count = 1; !running.isOver; await sleep(PAUSE_MS)) {
    const body = { content, scope: 'application', kind: 'fact', classification: 'internal' }
    const reply = await client.call('POST', '/v1/memory/capture', key, body)
    if (!reply) continue
    const { stored, memory_id: id } = JSON.parse(reply.text) as { stored?: boolean; memory_id?: string }
    if (reply.status !== 200 || stored !== true || id === undefined) {
      ledger.violated(`a memory was answered with ${reply.status}: ${reply.text.slice(0, 300)}`)
      return
    }
    ledger.memories.set(id, content)
    if (count++ % ERASED === 0) await erase(id)
    content = newContent(random)
  }

  async function erase(id: string): Promise<void> {
    ledger.erased.set(id, false)
    const reply = await client.call('DELETE', `/admin/v1/memories/${id}`, demo.admin_token)
    if (reply?.status === 204) ledger.erased.set(id, true)
    else if (reply) ledger.violated(`the erasure of ${id} was answered with ${reply.status}: ${reply.text.slice(0, 300)}`)
  }
}

/** A fact that resembles no other one, because similar memories are stored once. */
function newContent(random: Random): string {
  const word = () => Array.from({ length: 10 }, () => pick(random, LETTERS)).join('')
  return `The ${word()} of the ${word()} is kept beside the ${word()}.`
}
