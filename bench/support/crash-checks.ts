import { approve, release, reviewItemIdOf } from './crash-actions.ts'
import type { CrashClient } from './crash-client.ts'
import type { CrashLedger, KnownHold } from './crash-ledger.ts'

interface Checked {
  readonly client: CrashClient
  readonly ledger: CrashLedger
}

const CONCURRENCY = 8
/** Number of pending holds whose request is sent again. */
const REPEATED_REQUESTS = 20

/** Checks that every response that a client received has an audit record. */
export async function checkRecords(auditIds: readonly string[], { client, ledger }: Checked): Promise<void> {
  await each(auditIds, async (id) => {
    const answer = await client.record(id)
    if (answer?.status !== 200) ledger.violated(`no record of ${id}, answered with ${ledger.answers.get(id)}: ${answer?.text}`)
  })
}

/** Checks that every hold that a client knows exists, in a state that follows from the requests of the clients. */
export async function checkStates({ client, ledger }: Checked): Promise<void> {
  await each(ledger.holds, async (hold) => {
    const item = ledger.expect(await client.review(hold.id), 200, `review item ${hold.id}`)
    if (!item) return ledger.violated(`hold ${hold.id} cannot be read`)
    const allowed = statesOf(hold)
    if (!allowed.includes(String(item.state))) ledger.violated(`hold ${hold.id} is ${item.state}, not ${allowed.join(' or ')}`)
  })
}

function statesOf({ approval, result, cut, interrupted }: KnownHold): readonly string[] {
  if (result !== undefined) return ['released']
  if (approval === 'granted') return cut > 0 && !interrupted ? ['approved', 'released'] : ['approved']
  return approval === 'asked' ? ['pending', 'approved'] : ['pending']
}

/** Checks that a repeated request gets the same review item: none is lost or duplicated. */
export async function checkRepeatedRequests({ client, ledger }: Checked): Promise<void> {
  const pending = ledger.holds.filter(({ approval, point }) => approval === 'none' && point === 'input')
  await each(pending.slice(-REPEATED_REQUESTS), async ({ id, body }) => {
    const again = reviewItemIdOf(ledger.expect(ledger.seen(await client.chat(body)), 409, `the request of ${id}, again`))
    if (again !== id) ledger.violated(`the request of ${id}, sent again, is held as ${again}`)
  })
}

/** Checks that every approved hold is released, twice with the same result. */
export async function checkReleases(checked: Checked): Promise<void> {
  await each(
    checked.ledger.holds.filter(({ approval }) => approval !== 'none'),
    async (hold) => {
      if (hold.approval === 'asked') await approve(hold, checked)
      if (!hold.interrupted) await release(hold, checked)
      if (!hold.interrupted) await release(hold, checked)
      if (!hold.interrupted && hold.result === undefined) checked.ledger.violated(`${hold.id} is approved and cannot be released`)
    },
  )
}

/** Checks the number of provider calls: none for a held request, at most one after its release, and one for a held completion. */
export function checkCalls(ledger: CrashLedger, calls: (marker: string) => number): void {
  for (const hold of ledger.holds) {
    const made = calls(hold.marker)
    const least = hold.point === 'output' || hold.result !== undefined ? 1 : 0
    const most = hold.point === 'output' || hold.attempts > 0 ? 1 : 0
    if (made < least || made > most) ledger.violated(`${made} provider calls for ${hold.id}, held at ${hold.point}`)
  }
}

async function each<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await check(item)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}
