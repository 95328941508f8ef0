import { approve, heldAs, release } from './crash-actions.ts'
import type { CrashClient } from './crash-client.ts'
import type { CrashLedger, KnownHold } from './crash-ledger.ts'

interface Checked {
  readonly client: CrashClient
  readonly ledger: CrashLedger
}

const AT_ONCE = 8
/** How many of the pending holds are asked for again by their request alone. */
const REPEATED_REQUESTS = 20

/** Every answer that reached a client has its record. */
export async function checkRecords(auditIds: readonly string[], { client, ledger }: Checked): Promise<void> {
  await each(auditIds, async (id) => {
    const answer = await client.record(id)
    if (answer?.status !== 200) ledger.violated(`no record of ${id}, answered with ${ledger.answers.get(id)}: ${answer?.text}`)
  })
}

/** No hold that a client knows of is lost, and each is in a state that the clients' own steps explain. */
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

/** A client that lost its 409 and asks again gets the same item: nothing was lost, and nothing is there twice. */
export async function checkRepeatedRequests({ client, ledger }: Checked): Promise<void> {
  const pending = ledger.holds.filter(({ approval, point }) => approval === 'none' && point === 'input')
  await each(pending.slice(-REPEATED_REQUESTS), async ({ id, body }) => {
    const again = heldAs(ledger.expect(ledger.seen(await client.chat(body)), 409, `the request of ${id}, again`))
    if (again !== id) ledger.violated(`the request of ${id}, sent again, is held as ${again}`)
  })
}

/** What can be released is, and says the same the second time. */
export async function checkReleases(checked: Checked): Promise<void> {
  await each(
    checked.ledger.holds.filter(({ approval }) => approval !== 'none'),
    async (hold) => {
      if (hold.approval === 'asked') await approve(hold, checked)
      if (!hold.interrupted) await release(hold, checked)
      if (!hold.interrupted) await release(hold, checked)
      if (!hold.interrupted && hold.result === undefined) checked.ledger.violated(`${hold.id} is approved and not to be had`)
    },
  )
}

/** A held request costs no provider call until it is released, and one at most then; a held answer was called for before. */
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
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
