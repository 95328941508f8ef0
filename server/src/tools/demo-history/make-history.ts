import type { Logger } from 'pino'
import type { ChangeDeps } from '../../api/admin/kit/change.ts'
import type { ChatDeps } from '../../api/gateway/chat.ts'
import { findKeyByHash } from '../../domains/identity/api-key-store.ts'
import { Limiter } from '../../domains/limits/limiter.ts'
import { findPersonByEmail } from '../../domains/operators/operator-store.ts'
import type { Db } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { readBearer } from '../../platform/lib/credential.ts'
import { fromId } from '../../platform/lib/id.ts'
import { accessOf } from '../../shared/access.ts'
import { DEMO_OWNER_EMAIL, DEMO_REVIEWER_EMAIL } from '../../shared/demo-words.ts'
import type { Operator } from '../../shared/operator.ts'
import { type DemoFile, readDemoFile } from '../demo/demo-file.ts'
import { eventOf, type HistoryCaller, type HistoryDeps, type HistoryEvent, nearLimit } from './events.ts'
import { type PlannedRequest, planHistory } from './plan-history.ts'

type Deps = ChatDeps & ChangeDeps & { readonly log: Logger }

/** Makes the history with the real pipeline, each event with a clock at its time. After a crash it continues after the newest record. */
export async function makeDemoHistory(deps: Deps, dataDir: string, signal: AbortSignal): Promise<void> {
  const demo = await readDemoFile(dataDir)
  if (!demo?.history) return
  const until = new Date(demo.history.until)
  const newest = await findNewestTime(deps.db, demo.workspace.id)
  if (newest === undefined || newest >= until) return
  const startedAt = elapsed()
  const planned = planHistory(new Date(demo.history.from), until)
  const callers = await findCallers(deps.db, demo)
  const requests = planned.flatMap((request) => {
    const caller = callers.get(request.application)
    return caller ? [eventOf(request, caller)] : []
  })
  const events = [...requests, nearLimit(until)].filter(({ at }) => at > newest).toSorted((a, b) => Number(a.at) - Number(b.at))
  const count = await runInOrder(events, { until, signal, depsAt: await clockedDeps(deps, demo.workspace.id) })
  await noteKeyUse(deps.db, callers, planned)
  deps.log.info({ events: count, ms: Math.round(elapsed() - startedAt) }, 'made the history of the demo')
}

async function findNewestTime(db: Db, workspaceId: string): Promise<Date | undefined> {
  const newest = await db
    .selectFrom('audit_record')
    .select('created_at')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.created_at
}

async function findCallers(db: Db, { applications }: DemoFile): Promise<ReadonlyMap<string, HistoryCaller>> {
  const callers = new Map<string, HistoryCaller>()
  for (const { name, api_key } of applications) {
    const hash = readBearer(`Bearer ${api_key}`, 'gk_')
    const key = hash && (await findKeyByHash(db, Buffer.from(hash, 'hex')))
    if (key) callers.set(name, { application: key.application, keyId: key.keyId })
  }
  return callers
}

/** Notes when each key was last used, unless a client has used it since. */
async function noteKeyUse(
  db: Db,
  callers: ReadonlyMap<string, HistoryCaller>,
  planned: readonly PlannedRequest[],
): Promise<void> {
  for (const [name, { keyId }] of callers) {
    const last = planned.findLast(({ application }) => application === name)
    if (!last) continue
    await db
      .updateTable('api_key')
      .set({ last_used_at: last.at })
      .where('id', '=', fromId('key', keyId) ?? null)
      .where('last_used_at', 'is', null)
      .execute()
  }
}

async function clockedDeps(deps: Deps, workspaceId: string): Promise<(at: Date) => HistoryDeps> {
  let nowMs = 0
  const limiter = new Limiter(() => nowMs)
  const owner = await findOperator(deps.db, DEMO_OWNER_EMAIL)
  const reviewer = await findOperator(deps.db, DEMO_REVIEWER_EMAIL)
  return (at) => {
    nowMs = at.getTime()
    const clock = { now: () => at }
    const invokeDeps = { ...deps.invokeDeps, clock }
    return { ...deps, clock, limiter, invokeDeps, observe: () => {}, workspaceId, owner, reviewer }
  }
}

async function findOperator(db: Db, email: string): Promise<Operator | undefined> {
  const person = await findPersonByEmail(db, email)
  if (!person) return undefined
  const access = accessOf(person.roles)
  return { id: person.id, name: person.name, kind: 'person', access, scopes: access.all }
}

async function runInOrder(
  events: readonly HistoryEvent[],
  { until, signal, depsAt }: { until: Date; signal: AbortSignal; depsAt: (at: Date) => HistoryDeps },
): Promise<number> {
  const queue = [...events]
  let count = 0
  for (let next = queue.shift(); next && next.at < until && !signal.aborted; next = queue.shift()) {
    for (const caused of await next.run(depsAt(next.at))) {
      const later = queue.findIndex(({ at }) => at > caused.at)
      queue.splice(later < 0 ? queue.length : later, 0, caused)
    }
    count += 1
  }
  return count
}
